package io.indexview.views.derive;

/** A view needs a field that the record's writer does not give as the view reads it. */
final class UnreadableFieldException extends RuntimeException {
  UnreadableFieldException(String message) {
    super(message);
  }
}
