package io.indexview.cli;

import io.indexview.server.TestServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Runs command lines in this process. */
public final class Cli {
  private final URI server;

  Cli(URI server) {
    this.server = server;
  }

  static Cli of(TestServer server) {
    return new Cli(server.address());
  }

  /** What a command line came to. */
  public record Run(int exitCode, String out, String err) {}

  /** Runs a command that talks to the server. */
  Run run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server=" + server);
    return execute(all.toArray(String[]::new));
  }

  /** Runs any command line. */
  public static Run execute(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Indexview.commandLine(List.of())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Run(exitCode, out.toString(), err.toString());
  }
}
