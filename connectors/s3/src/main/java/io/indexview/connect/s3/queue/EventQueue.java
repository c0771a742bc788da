package io.indexview.connect.s3.queue;

import io.indexview.connect.s3.client.AwsRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A queue that hands out a message again unless it is deleted within a time. Delivers at least
 * once, in any order. Implementations are safe for use by several threads; futures complete with
 * {@link AwsRequestException}.
 */
public interface EventQueue extends AutoCloseable {

  /** Messages that one call takes at most. */
  int BATCH_LIMIT = 10;

  /**
   * Waits for messages.
   *
   * @param visibility for how long no other receiver sees them
   * @return up to {@link #BATCH_LIMIT}; none if none came in time
   */
  CompletableFuture<List<QueueMessage>> receive(Duration wait, Duration visibility);

  /** Deletes up to {@link #BATCH_LIMIT} messages, each for itself. */
  CompletableFuture<Outcome> deleteBatch(List<Receipt> receipts);

  /**
   * Keeps up to {@link #BATCH_LIMIT} messages from other receivers for a time from now; zero:
   * others may have them at once.
   */
  CompletableFuture<Outcome> extendVisibility(List<Receipt> receipts, Duration visibility);

  /** Number of receipts after which the queue takes a message away; empty: it never does. */
  CompletableFuture<OptionalInt> maxReceives();

  @Override
  void close();

  /** What a message that was received is known by. */
  record Receipt(String messageId, String receiptHandle) {
    public Receipt {
      Objects.requireNonNull(messageId, "messageId");
      Objects.requireNonNull(receiptHandle, "receiptHandle");
    }
  }

  /**
   * What a batch did not do; everything else is done.
   *
   * @param retry ids of messages for which the same again may work
   * @param refused ids of messages whose receipt no longer counts: they will be received again
   */
  record Outcome(Set<String> retry, Set<String> refused) {
    public static final Outcome DONE = new Outcome(Set.of(), Set.of());

    public Outcome {
      retry = Set.copyOf(retry);
      refused = Set.copyOf(refused);
    }
  }

  /**
   * One message as received.
   *
   * @param id the same each time the message is received
   * @param receiptHandle what this receipt is deleted by; another one each time
   * @param sentAt by the clock of the queue
   */
  record QueueMessage(String id, String receiptHandle, String body, Instant sentAt) {
    public QueueMessage {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(receiptHandle, "receiptHandle");
      Objects.requireNonNull(body, "body");
      Objects.requireNonNull(sentAt, "sentAt");
    }

    /** Bodies hold the users' file names. */
    @Override
    public String toString() {
      return "QueueMessage[id=" + id + "]";
    }
  }
}
