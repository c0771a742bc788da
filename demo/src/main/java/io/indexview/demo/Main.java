package io.indexview.demo;

import io.indexview.cli.Indexview;
import java.util.List;
import picocli.CommandLine;

/** {@code bin/indexview}: the command line, and the commands that run a whole stack here. */
public final class Main {
  private Main() {}

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    Indexview.run(commandLine(), args);
  }

  static CommandLine commandLine() {
    return Indexview.commandLine(
        List.of(DemoCommand.class, LocalCommand.class, EmulatorsCommand.class));
  }
}
