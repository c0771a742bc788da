package io.indexview.client.admin;

/**
 * It is not known how the records of a record set are written in the KV store, so they are neither
 * read nor written there. The message says what helps.
 */
public final class ValuesUnknownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ValuesUnknownException(String message) {
    super(message);
  }
}
