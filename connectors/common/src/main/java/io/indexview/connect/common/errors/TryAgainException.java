package io.indexview.connect.common.errors;

import java.time.Duration;
import org.apache.kafka.connect.errors.RetriableException;

/**
 * Makes a sink's records come again, by {@link io.indexview.connect.common.sink.Redelivery} or by
 * Connect. Without stack and cause: Connect logs it for every try, and an outage takes many.
 */
public final class TryAgainException extends RetriableException {
  private static final long serialVersionUID = 1L;

  private final transient Duration after;

  /**
   * @param message says what does not work, and all that is known of why
   * @param after when the records are to come again
   */
  public TryAgainException(String message, Duration after) {
    super(message);
    this.after = after;
  }

  public Duration after() {
    return after;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
