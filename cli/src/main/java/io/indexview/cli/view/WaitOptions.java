package io.indexview.cli.view;

import io.indexview.cli.ServerOptions;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.DurationConverter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Waiting for what a command has asked for. */
final class WaitOptions {
  @Option(
      names = "--wait",
      arity = "0..1",
      fallbackValue = "10m",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Waits until the views serve what is wanted: 500ms, 30s, 10m; ${FALLBACK-VALUE} if none is"
              + " given.")
  private Duration timeout;

  /** Waits, if that was asked for; the exit code. */
  int await(List<Awaited> changes, ServerOptions options, ServerClient server)
      throws InterruptedException {
    return timeout == null ? ExitCodes.OK : await(changes, timeout, options, server);
  }

  static int await(
      List<Awaited> wanted, Duration timeout, ServerOptions options, ServerClient server)
      throws InterruptedException {
    boolean terminal = System.console() != null;
    for (Awaited awaited : wanted) {
      BuildProgress progress =
          terminal ? new ProgressBar(options.err()) : new ProgressLines(options.err());
      if (!new Readiness(server, progress).await(awaited, timeout)) {
        return ExitCodes.NOT_READY;
      }
    }
    return ExitCodes.OK;
  }
}
