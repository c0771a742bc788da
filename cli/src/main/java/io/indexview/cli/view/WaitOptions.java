package io.indexview.cli.view;

import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
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
          "Waits until the views serve what is wanted: 500ms, 30s, 10m; ${FALLBACK-VALUE} if none"
              + " is given.")
  private Duration timeout;

  /** Waits, if that was asked for; the exit code. */
  int await(List<Awaited> changes, ServerOptions options, ServerClient server)
      throws InterruptedException {
    return timeout == null ? ExitCodes.OK : await(changes, timeout, options, server);
  }

  /** Waits for all of them together as long as it says. */
  static int await(
      List<Awaited> wanted, Duration timeout, ServerOptions options, ServerClient server)
      throws InterruptedException {
    boolean terminal = System.console() != null;
    long deadline = System.nanoTime() + timeout.toNanos();
    for (Awaited awaited : wanted) {
      BuildProgress progress =
          terminal ? new ProgressBar(options.err()) : new ProgressLines(options.err());
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      if (!new Readiness(server, progress).await(awaited, left)) {
        return ExitCodes.NOT_READY;
      }
    }
    return ExitCodes.OK;
  }
}
