package io.indexview.verification;

/**
 * The rows of a view are in a generic sink's target that is not set up to be read here, or hold
 * what is not compared there; the message says what to set or to change.
 */
public final class GenericTargetException extends NotReadableHereException {
  private static final long serialVersionUID = 1L;

  public GenericTargetException(String message) {
    super(message);
  }
}
