package io.indexview.cli.option;

import io.indexview.cli.api.ServerAddress;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerFile;
import io.indexview.cli.output.Printer;
import io.indexview.cli.output.Printer.Format;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of every command that talks to a server. */
public final class ServerOptions {
  private static final String DATA = "--data";
  private static final String SERVER_VARIABLE = "INDEXVIEW_SERVER";
  private static final String TOKEN_VARIABLE = "INDEXVIEW_TOKEN";

  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "Server to talk to. Default: that of --data if it is given, else INDEXVIEW_SERVER of the"
              + " environment, else the local stack's.")
  private String server;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the server's token. Default: INDEXVIEW_TOKEN of the environment.")
  private Path tokenFile;

  @Option(
      names = DATA,
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
        ServerAddress.find(named(), tokenFile, System.getenv(TOKEN_VARIABLE), data));
  }

  /** What the environment names is less than what the command line says. */
  private String named() {
    boolean hasData = command.commandLine().getParseResult().hasMatchedOption(DATA);
    return server == null && !hasData ? System.getenv(SERVER_VARIABLE) : server;
  }

  /** The local stack of the data directory, unless a server is named that is not its own. */
  public Optional<ServerFile> localStack() {
    String named = named();
    return ServerFile.read(data)
        .filter(
            stack -> named == null || named.isEmpty() || ServerAddress.isSame(named, stack.url()));
  }

  public Printer printer() {
    return new Printer(out(), format);
  }

  public PrintWriter out() {
    return command.commandLine().getOut();
  }

  /** Stream for what is not the answer itself. */
  public PrintWriter err() {
    return command.commandLine().getErr();
  }
}
