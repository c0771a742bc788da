package io.indexview.connect.s3.queue;

import java.util.Objects;

/**
 * One message as received.
 *
 * @param id the same each time the message is received
 * @param receiptHandle what this receipt is deleted by; another one each time
 */
public record QueueMessage(String id, String receiptHandle, String body) {
  public QueueMessage {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(receiptHandle, "receiptHandle");
    Objects.requireNonNull(body, "body");
  }

  /** Bodies hold the users' file names. */
  @Override
  public String toString() {
    return "QueueMessage[id=" + id + "]";
  }
}
