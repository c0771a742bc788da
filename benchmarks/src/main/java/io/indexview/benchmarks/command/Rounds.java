package io.indexview.benchmarks.command;

import java.util.List;
import picocli.CommandLine.Option;

/** How often each contest is held. */
public final class Rounds {
  private static final String NAME = "--rounds";

  @Option(names = NAME, description = "Rounds of each contest. Default: ${DEFAULT-VALUE}")
  private int count;

  /**
   * @param usual without the option
   */
  public Rounds(int usual) {
    this.count = usual;
  }

  /**
   * Number of rounds.
   *
   * @param output of the command
   * @throws picocli.CommandLine.ParameterException unless it is positive
   */
  public int count(BenchOutput output) {
    output.require(NAME, List.of(count));
    return count;
  }
}
