package io.indexview.server;

import io.indexview.schemas.config.BuildProperties;
import io.indexview.schemas.config.ConfigFile;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the server. */
@Command(
    name = "indexview-server",
    description = "Serves views, queries and records over HTTP.",
    mixinStandardHelpOptions = true,
    versionProvider = ServerCommand.BuildVersion.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:failed while starting or running",
      "2:the command line or the configuration is wrong",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
final class ServerCommand implements Callable<Integer> {
  private static final Logger LOGGER = LoggerFactory.getLogger(ServerCommand.class);

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "Configuration, a Java properties file.")
  private Path configFile;

  @Override
  public Integer call() throws InterruptedException {
    try (IndexviewServer server =
        IndexviewServer.start(
            ServerConfig.parse(
                ConfigFile.read(configFile, "INDEXVIEW_SERVER_", System.getenv())))) {
      Runtime.getRuntime().addShutdownHook(new Thread(server::close, "indexview-shutdown"));
      server.join();
      return ExitCode.OK;
    } catch (InvalidConfigException e) {
      return fail(e, ExitCode.USAGE);
    } catch (IOException | RuntimeException e) {
      LOGGER.error("The server ends; mend the cause, and start it again", e);
      return fail(e, ExitCode.SOFTWARE);
    }
  }

  private int fail(Exception failure, int exitCode) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(failure.getMessage() == null ? failure : failure.getMessage());
    err.flush();
    return exitCode;
  }

  /** The version of this build. */
  static final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = BuildProperties.of(ServerCommand.class).getProperty("version");
      return new String[] {"indexview-server " + version};
    }
  }
}
