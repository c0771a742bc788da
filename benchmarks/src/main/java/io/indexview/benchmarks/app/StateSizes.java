package io.indexview.benchmarks.app;

import io.indexview.benchmarks.command.BenchOutput;
import java.util.List;
import picocli.CommandLine.Option;

/** How large the states are. */
final class StateSizes {
  private static final String NAME = "--records";

  @Option(
      names = NAME,
      split = ",",
      defaultValue = "100000",
      description =
          "Records of the state, one size after the other, up to 1000000. Default: ${DEFAULT-VALUE}")
  private List<Integer> sizes;

  /**
   * @throws picocli.CommandLine.ParameterException unless all are positive
   */
  List<Integer> sizes(BenchOutput output) {
    output.require(NAME, sizes);
    return sizes;
  }
}
