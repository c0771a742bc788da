package io.indexview.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs benchmarks as the command line does, and keeps what they print. */
public final class BenchRun {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Returns the exit code. */
  public int run(String... arguments) {
    CommandLine commandLine = IndexviewBench.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }

  /** Cells of the table that was printed, without its head. */
  public List<List<String>> figures() {
    return out()
        .lines()
        .filter(line -> line.startsWith("|"))
        .skip(2)
        .map(line -> Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
        .toList();
  }
}
