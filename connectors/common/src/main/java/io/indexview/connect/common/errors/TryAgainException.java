package io.indexview.connect.common.errors;

import org.apache.kafka.connect.errors.RetriableException;

/**
 * Has Connect bring a sink's records again. Without stack and cause: Connect logs it for every try,
 * and an outage takes many.
 */
public final class TryAgainException extends RetriableException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message says what does not work, and all that is known of why
   */
  public TryAgainException(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
