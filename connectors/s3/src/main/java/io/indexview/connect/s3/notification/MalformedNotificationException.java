package io.indexview.connect.s3.notification;

/** A message that is no notification, or one that lacks what is needed; says what. */
public final class MalformedNotificationException extends Exception {
  public MalformedNotificationException(String message) {
    super(message);
  }

  MalformedNotificationException(String message, Throwable cause) {
    super(message, cause);
  }
}
