package io.indexview.client.token;

/** A freshness token that no read can wait for: no token, or of other records than the view's. */
public final class InvalidFreshnessTokenException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidFreshnessTokenException(String message) {
    super("freshness token: " + message);
  }
}
