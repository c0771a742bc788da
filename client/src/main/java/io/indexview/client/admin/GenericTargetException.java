package io.indexview.client.admin;

/** A generic sink writes the rows of a view to where nobody reads them; the message says how. */
public final class GenericTargetException extends NotVerifiableException {
  private static final long serialVersionUID = 1L;

  public GenericTargetException(String message) {
    super(message);
  }
}
