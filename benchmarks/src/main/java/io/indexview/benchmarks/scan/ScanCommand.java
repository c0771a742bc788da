package io.indexview.benchmarks.scan;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.command.ScratchDirectory;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code scan}. */
@Command(
    name = "scan",
    mixinStandardHelpOptions = true,
    description = "Scans of the kvstore source against a bare iteration of the store.")
public final class ScanCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private final Rounds rounds = new Rounds(3);

  @Option(
      names = "--sizes",
      split = ",",
      defaultValue = "10000,100000,1000000",
      description = "Numbers of records, the smallest first. Default: ${DEFAULT-VALUE}")
  private List<Integer> sizes;

  @Override
  public Integer call() throws Exception {
    output.require("--sizes", sizes);
    output.print(
        new ScanBenchmark(directory.parent(), rounds.count(output), output::progress).run(sizes));
    return 0;
  }
}
