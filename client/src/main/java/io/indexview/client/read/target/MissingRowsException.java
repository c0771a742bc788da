package io.indexview.client.read.target;

/**
 * What held the rows of a generation is not there: it went with the generation, or somebody removed
 * it.
 */
public final class MissingRowsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is missing, and what helps if the generation still serves
   */
  public MissingRowsException(String message, Throwable cause) {
    super(message, cause);
  }
}
