package io.indexview.benchmarks.read;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.TrialOptions;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code read}. */
@Command(
    name = "read",
    mixinStandardHelpOptions = true,
    description = "Pages of views by REST and client library against bare range reads.")
public final class ReadCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private final TrialOptions trials = new TrialOptions(6_000, 1_000);

  @Option(
      names = "--rows",
      split = ",",
      defaultValue = "20,1000",
      description = "Rows of a page, a contest each. Default: ${DEFAULT-VALUE}")
  private List<Integer> rows;

  @Option(
      names = "--callers",
      split = ",",
      defaultValue = "1,16",
      description = "Callers at once, a contest each. Default: ${DEFAULT-VALUE}")
  private List<Integer> callers;

  @Option(names = "--fetch", description = "With the primary records, from the KV store.")
  private boolean fetch;

  @Override
  public Integer call() throws Exception {
    output.require("--rows", rows);
    int minPeople = (Collections.max(rows) + 2) * 3 / 2 + 1;
    output.print(
        new ReadBenchmark(trials.plan(output, callers, minPeople), rows, fetch, output::progress)
            .run());
    return 0;
  }
}
