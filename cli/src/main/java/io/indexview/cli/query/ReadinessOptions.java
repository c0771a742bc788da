package io.indexview.cli.query;

import io.indexview.cli.api.ApiPath;
import io.indexview.cli.option.DurationConverter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What a command does while a view is not READY, if it does not give up; one of its options. */
public final class ReadinessOptions {
  @Option(names = "--stale", description = "Reads what there is even if the view is not READY.")
  private boolean stale;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Waits for the view to be READY: 500ms, 10s.")
  private Duration wait;

  boolean waits() {
    return wait != null;
  }

  /** Adds it to a path of rows. */
  public ApiPath on(ApiPath rows) {
    return waits()
        ? rows.with("policy", "wait").with("timeout", millis(wait))
        : rows.with("policy", stale ? "stale" : null);
  }

  static String millis(Duration duration) {
    return duration.toMillis() + "ms";
  }
}
