package io.indexview.benchmarks.write;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.kvstore.KvDurability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code write}. */
@Command(
    name = "write",
    mixinStandardHelpOptions = true,
    description =
        "Writes of primary records by client library and REST against bare puts and sends.")
public final class WriteCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--people",
      defaultValue = "10000",
      description = "Records that there are. Default: ${DEFAULT-VALUE}")
  private int people;

  @Option(
      names = "--records",
      split = ",",
      defaultValue = "1,50",
      description =
          "Records that a write puts, all of one major path; contests for each."
              + " Default: ${DEFAULT-VALUE}")
  private List<Integer> records;

  @Option(
      names = "--callers",
      split = ",",
      defaultValue = "1,8",
      description = "Callers at once, a contest each. Default: ${DEFAULT-VALUE}")
  private List<Integer> callers;

  @Option(
      names = "--trial-ms",
      defaultValue = "2000",
      description = "How long each contestant writes in a round. Default: ${DEFAULT-VALUE}")
  private int trialMs;

  @Option(
      names = "--durability",
      defaultValue = "write_no_sync",
      description = "Of the store: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private KvDurability durability;

  @Option(
      names = "--dir",
      description = "Where store and topics lie meanwhile. Default: the system's directory.")
  private Path directory;

  @Override
  public Integer call() throws Exception {
    output.require("--records", records);
    output.require("--callers", callers);
    output.require("--trial-ms", List.of(trialMs));
    for (int one : records) {
      output.requireAtLeast(one * WriteBenchmark.LEAST_GROUPS, "--people", List.of(people));
    }
    WriteBenchmark.Settings settings =
        new WriteBenchmark.Settings(
            directory,
            rounds.count(output),
            Duration.ofMillis(trialMs),
            people,
            records,
            callers,
            durability);
    output.print(new WriteBenchmark(settings, output::progress).run());
    return 0;
  }
}
