package io.indexview.connect.s3.queue;

import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A queue in memory that behaves as SQS does, and goes wrong as scripted. Answers at once. */
public final class FakeEventQueue implements EventQueue {
  private final Clock clock;
  private final Map<String, Stored> messages = new LinkedHashMap<>();
  private final List<String> deleted = new ArrayList<>();
  private RuntimeException nextFailure;
  private RuntimeException outage;
  private Error breakdown;
  private int partialFailures;
  private int receipts;
  private int extensions;
  private boolean closed;

  public FakeEventQueue(Clock clock) {
    this.clock = clock;
  }

  public synchronized void send(String id, String body) {
    messages.put(id, new Stored(body, clock.instant()));
  }

  /** The next request fails, whatever it is. */
  public synchronized void failNext(RuntimeException failure) {
    nextFailure = failure;
  }

  /** Every request fails from now on. */
  public synchronized void fail(RuntimeException failure) {
    outage = failure;
  }

  /** Each further receive request throws. */
  public synchronized void breakDown(Error error) {
    breakdown = error;
  }

  /** The first message of each of so many batches is left out. */
  public synchronized void leaveOut(int batches) {
    partialFailures = batches;
  }

  @Override
  public synchronized CompletableFuture<List<QueueMessage>> receive(
      Duration wait, Duration visibility) {
    if (breakdown != null) {
      throw breakdown;
    }
    RuntimeException failure = takeFailure();
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    List<QueueMessage> received = new ArrayList<>();
    Instant now = clock.instant();
    for (Map.Entry<String, Stored> each : messages.entrySet()) {
      Stored stored = each.getValue();
      if (received.size() < BATCH_LIMIT && !now.isBefore(stored.hiddenUntil)) {
        stored.hiddenUntil = now.plus(visibility);
        stored.handle = "receipt-" + receipts++;
        received.add(new QueueMessage(each.getKey(), stored.handle, stored.body, stored.sentAt));
      }
    }
    return received.isEmpty() && !wait.isZero()
        ? new CompletableFuture<>()
        : CompletableFuture.completedFuture(received);
  }

  @Override
  public synchronized CompletableFuture<Outcome> deleteBatch(List<Receipt> batch) {
    return answer(
        batch,
        receipt -> {
          Stored stored = messages.get(receipt.messageId());
          if (stored == null || !receipt.receiptHandle().equals(stored.handle)) {
            return false;
          }
          messages.remove(receipt.messageId());
          deleted.add(receipt.messageId());
          return true;
        });
  }

  @Override
  public synchronized CompletableFuture<Outcome> extendVisibility(
      List<Receipt> batch, Duration visibility) {
    return answer(
        batch,
        receipt -> {
          Stored stored = messages.get(receipt.messageId());
          if (stored == null || !receipt.receiptHandle().equals(stored.handle)) {
            return false;
          }
          stored.hiddenUntil = clock.instant().plus(visibility);
          extensions++;
          return true;
        });
  }

  private CompletableFuture<Outcome> answer(
      List<Receipt> batch, Function<Receipt, Boolean> action) {
    if (batch.isEmpty() || batch.size() > BATCH_LIMIT) {
      throw new IllegalArgumentException("a batch of " + batch.size());
    }
    RuntimeException failure = takeFailure();
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    Set<String> retry = new HashSet<>();
    Set<String> refused = new HashSet<>();
    for (Receipt receipt : batch) {
      if (partialFailures > 0) {
        partialFailures--;
        retry.add(receipt.messageId());
      } else if (!action.apply(receipt)) {
        refused.add(receipt.messageId());
      }
    }
    return CompletableFuture.completedFuture(new Outcome(retry, refused));
  }

  private RuntimeException takeFailure() {
    RuntimeException failure = nextFailure == null ? outage : nextFailure;
    nextFailure = null;
    return failure;
  }

  /** Has no redrive policy. */
  @Override
  public synchronized CompletableFuture<OptionalInt> maxReceives() {
    RuntimeException failure = takeFailure();
    return failure == null
        ? CompletableFuture.completedFuture(OptionalInt.empty())
        : CompletableFuture.failedFuture(failure);
  }

  /** Ids of deleted messages, in order. */
  public synchronized List<String> deleted() {
    return List.copyOf(deleted);
  }

  public synchronized int size() {
    return messages.size();
  }

  public synchronized int extensions() {
    return extensions;
  }

  public synchronized boolean closed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  private static final class Stored {
    private final String body;
    private final Instant sentAt;
    private String handle;
    private Instant hiddenUntil = Instant.MIN;

    private Stored(String body, Instant sentAt) {
      this.body = body;
      this.sentAt = sentAt;
    }
  }
}
