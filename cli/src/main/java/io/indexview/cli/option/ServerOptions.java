package io.indexview.cli.option;

import io.indexview.cli.api.ServerAddress;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.output.Printer;
import io.indexview.cli.output.Printer.Format;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of every command that talks to a server. */
public final class ServerOptions {
  private static final String TOKEN_VARIABLE = "INDEXVIEW_TOKEN";

  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--server",
      paramLabel = "URL",
      defaultValue = "${env:INDEXVIEW_SERVER}",
      description =
          "Server to talk to. Default: INDEXVIEW_SERVER of the environment, or the local stack's.")
  private String server;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the server's token. Default: INDEXVIEW_TOKEN of the environment.")
  private Path tokenFile;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${sys:user.home}/.indexview/data",
      description = "Data directory of the local stack. Default: ${DEFAULT-VALUE}")
  private Path data;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, json or yaml. Default: ${DEFAULT-VALUE}")
  private Format format;

  public ServerClient client() {
    return new ServerClient(
        ServerAddress.find(server, tokenFile, System.getenv(TOKEN_VARIABLE), data));
  }

  /** Of the local stack. */
  public Path dataDirectory() {
    return data;
  }

  public Printer printer() {
    return new Printer(out(), format);
  }

  public PrintWriter out() {
    return command.commandLine().getOut();
  }

  /** For what is not the answer itself. */
  public PrintWriter err() {
    return command.commandLine().getErr();
  }
}
