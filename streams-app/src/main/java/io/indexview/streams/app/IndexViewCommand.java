package io.indexview.streams.app;

import io.indexview.schemas.config.BuildProperties;
import io.indexview.schemas.config.ConfigFile;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.app.AppStatus.AppState;
import io.indexview.streams.config.AppConfig;
import io.indexview.views.definition.InvalidViewException;
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

/** The command line of the streams application. */
@Command(
    name = "indexview-streams",
    description = "Derives index views from primary-change topics.",
    mixinStandardHelpOptions = true,
    versionProvider = IndexViewCommand.BuildVersion.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:failed while starting or running",
      "2:the command line, the configuration or a view file is wrong",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
final class IndexViewCommand implements Callable<Integer> {
  private static final Logger LOGGER = LoggerFactory.getLogger(IndexViewCommand.class);

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "Configuration, a Java properties file.")
  private Path configFile;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    try (IndexViewApp app =
        IndexViewApp.start(
            AppConfig.parse(ConfigFile.read(configFile, "INDEXVIEW_APP_", System.getenv())))) {
      Thread hook = new Thread(app::close, "indexview-shutdown");
      Runtime.getRuntime().addShutdownHook(hook);
      AppState end = app.awaitEnd();
      return end == AppState.CLOSED ? ExitCode.OK : fail(app.failure().orElseThrow(), err);
    } catch (RuntimeException e) {
      return fail(e, err);
    }
  }

  static int fail(Throwable failure, PrintWriter err) {
    err.println(failure.getMessage() == null ? failure : failure.getMessage());
    err.flush();
    if (failure instanceof InvalidConfigException || failure instanceof InvalidViewException) {
      return ExitCode.USAGE;
    }
    LOGGER.error("The application ends", failure);
    return ExitCode.SOFTWARE;
  }

  /** The version of this build. */
  static final class BuildVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = BuildProperties.of(IndexViewCommand.class).getProperty("version");
      return new String[] {"indexview-streams " + version};
    }
  }
}
