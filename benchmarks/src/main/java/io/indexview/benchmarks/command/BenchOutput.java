package io.indexview.benchmarks.command;

import io.indexview.benchmarks.contest.Table;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where a command says what it is about, and what came out. */
@Command
public final class BenchOutput {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** A line on standard error. */
  public void progress(String what) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(what);
    err.flush();
  }

  /** A table on standard output. */
  public void print(Table table) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(table);
    out.flush();
  }

  /**
   * @throws ParameterException unless all are positive
   */
  public void require(String option, List<Integer> numbers) {
    requireAtLeast(1, option, numbers);
  }

  /**
   * @throws ParameterException unless none is less
   */
  public void requireAtLeast(int min, String option, List<Integer> numbers) {
    for (int number : numbers) {
      if (number < min) {
        throw new ParameterException(
            spec.commandLine(), "%s: %d must be at least %d".formatted(option, number, min));
      }
    }
  }
}
