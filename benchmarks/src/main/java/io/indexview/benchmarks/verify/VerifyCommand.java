package io.indexview.benchmarks.verify;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.command.ScratchDirectory;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = "Verifications of a view against bare scans of its target, and their memory.")
public final class VerifyCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      description = "Rows of the view in the embedded store. Default: ${DEFAULT-VALUE}")
  private int rows;

  @Option(
      names = "--memory-rows",
      defaultValue = "10000000",
      description =
          "Rows that are made up and verified in a process with a bounded heap; 0: none."
              + " Default: ${DEFAULT-VALUE}")
  private int memoryRows;

  @Option(
      names = "--max-heap",
      defaultValue = "272",
      description = "Heap of that process, in MiB. Default: ${DEFAULT-VALUE}")
  private int maxHeap;

  @Override
  public Integer call() throws Exception {
    output.require("--rows", List.of(rows));
    output.requireAtLeast(0, "--memory-rows", List.of(memoryRows));
    output.require("--max-heap", List.of(maxHeap));
    output.print(
        new VerifyBenchmark(directory.parent(), output::progress).run(rows, rounds.count(output)));
    if (memoryRows > 0) {
      output.print(
          new MemoryBenchmark(directory.parent(), output::progress).run(memoryRows, maxHeap));
    }
    return 0;
  }
}
