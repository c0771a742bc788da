package io.indexview.benchmarks.read;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import java.nio.file.Path;
import java.time.Duration;
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
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--people",
      defaultValue = "6000",
      description = "Records that there are. Default: ${DEFAULT-VALUE}")
  private int people;

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

  @Option(
      names = "--trial-ms",
      defaultValue = "1000",
      description = "How long each contestant reads pages in a round. Default: ${DEFAULT-VALUE}")
  private int trialMs;

  @Option(names = "--fetch", description = "With the primary records, from the KV store.")
  private boolean fetch;

  @Option(
      names = "--dir",
      description = "Where the KV store lies meanwhile. Default: the system's directory.")
  private Path directory;

  @Override
  public Integer call() throws Exception {
    output.require("--rows", rows);
    output.require("--callers", callers);
    output.require("--trial-ms", List.of(trialMs));
    for (int one : rows) {
      output.requireAtLeast((one + 2) * 3 / 2 + 1, "--people", List.of(people));
    }
    ReadBenchmark.Settings settings =
        new ReadBenchmark.Settings(
            directory,
            rounds.count(output),
            Duration.ofMillis(trialMs),
            people,
            rows,
            callers,
            fetch);
    output.print(new ReadBenchmark(settings, output::progress).run());
    return 0;
  }
}
