package io.indexview.client.token;

import java.time.Duration;

/** A view did not include a write in time. It will, unless a part of the pipeline stands still. */
public final class NotVisibleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param missing who has not got there yet, and how far it is
   */
  public NotVisibleException(String view, FreshnessToken token, Duration timeout, String missing) {
    super(
        "View \"%s\" does not include the write at %s after %d ms: %s"
            .formatted(view, token, timeout.toMillis(), missing));
  }
}
