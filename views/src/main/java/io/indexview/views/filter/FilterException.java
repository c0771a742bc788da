package io.indexview.views.filter;

/**
 * A filter cannot tell whether a record matches; the message says why, without content of the
 * record.
 */
public final class FilterException extends Exception {
  FilterException(String message) {
    super(message);
  }
}
