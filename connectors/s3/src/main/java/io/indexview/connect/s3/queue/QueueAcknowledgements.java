package io.indexview.connect.s3.queue;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.Outcome;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acknowledges messages: deletes messages that are done, and keeps the others hidden from other
 * receivers. {@link #run} is called often; it and {@link #deleteFullBatches} on one thread at a
 * time.
 */
public final class QueueAcknowledgements {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueAcknowledgements.class);

  private final EventQueue queue;
  private final InFlightMessages inFlight;
  private final Duration visibility;
  private final RetryTimer retry;

  private AwsRequestException failure;

  public QueueAcknowledgements(
      EventQueue queue,
      InFlightMessages inFlight,
      Duration visibility,
      Backoff backoff,
      Time time) {
    this.queue = queue;
    this.inFlight = inFlight;
    this.visibility = visibility;
    this.retry = new RetryTimer(backoff, time);
  }

  /** Sends what is due; answers are worked in as they come. */
  public void run() {
    if (mayAsk()) {
      delete(batches(inFlight::takeDone));
      extendExpiring();
    }
  }

  /** Sends the deletes that fill their requests; the others wait for {@link #run}. */
  public void deleteFullBatches() {
    if (mayAsk()) {
      delete(batches(inFlight::takeDoneBatch));
    }
  }

  private synchronized boolean mayAsk() {
    return failure == null && retry.isDue();
  }

  private CompletableFuture<Void> delete(List<List<Receipt>> batches) {
    return CompletableFuture.allOf(
        batches.stream()
            .map(
                batch ->
                    queue
                        .deleteBatch(batch)
                        .handle(
                            (outcome, thrown) -> {
                              deleted(batch, outcome, thrown);
                              return null;
                            }))
            .toArray(CompletableFuture<?>[]::new));
  }

  private void deleted(List<Receipt> batch, Outcome outcome, Throwable thrown) {
    if (thrown != null) {
      batch.forEach(receipt -> inFlight.notDeleted(receipt.messageId()));
      failed(thrown);
      return;
    }
    for (Receipt receipt : batch) {
      if (outcome.retry().contains(receipt.messageId())) {
        inFlight.notDeleted(receipt.messageId());
      } else {
        inFlight.deleted(receipt.messageId());
      }
    }
    if (outcome.retry().isEmpty()) {
      succeeded();
    } else {
      waitBeforeNext("some messages were left out");
    }
  }

  private void extendExpiring() {
    for (List<Receipt> batch : batches(inFlight::takeExpiring)) {
      queue
          .extendVisibility(batch, visibility)
          .whenComplete((outcome, thrown) -> extended(batch, outcome, thrown));
    }
  }

  /** All batches there are, before the first is sent: a failure gives its messages back at once. */
  private static List<List<Receipt>> batches(Supplier<List<Receipt>> next) {
    List<List<Receipt>> batches = new ArrayList<>();
    for (List<Receipt> batch = next.get(); !batch.isEmpty(); batch = next.get()) {
      batches.add(batch);
    }
    return batches;
  }

  private void extended(List<Receipt> batch, Outcome outcome, Throwable thrown) {
    for (Receipt receipt : batch) {
      if (thrown != null || outcome.retry().contains(receipt.messageId())) {
        inFlight.notExtended(receipt.messageId());
      }
    }
    if (thrown != null) {
      failed(thrown);
    } else if (!outcome.retry().isEmpty()) {
      waitBeforeNext("some messages were left out");
    }
  }

  private synchronized void failed(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (cause instanceof AwsRequestException.Unavailable) {
      waitBeforeNext(cause.getMessage());
    } else {
      failure =
          cause instanceof AwsRequestException known
              ? known
              : new AwsRequestException.Permanent(
                  "deleting or hiding messages failed: " + cause.getMessage(), cause);
    }
  }

  private synchronized void waitBeforeNext(String reason) {
    if (retry.failed()) {
      LOGGER.warn(
          "Messages are neither deleted nor hidden, and may be received twice; it is tried again: {}",
          reason);
    }
  }

  private synchronized void succeeded() {
    retry.succeeded();
  }

  /** What makes further deleting pointless; null while nothing does. */
  public synchronized AwsRequestException failure() {
    return failure;
  }

  /**
   * Deletes what is done now, and lets other receivers have the rest at once, as far as that is
   * possible in the time; for a task that ends.
   */
  public void finish(Duration timeout) {
    if (!mayAsk()) {
      return;
    }
    try {
      CompletableFuture<Void> deleted = delete(batches(inFlight::takeDone));
      CompletableFuture.allOf(deleted, release(inFlight.unfinished()))
          .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.warn(
          "Some messages were not deleted or given back before the task ended; they are received again after the visibility timeout",
          e);
    }
  }

  private CompletableFuture<Void> release(List<Receipt> unfinished) {
    List<CompletableFuture<Outcome>> requests = new ArrayList<>();
    for (int from = 0; from < unfinished.size(); from += EventQueue.BATCH_LIMIT) {
      int to = Math.min(from + EventQueue.BATCH_LIMIT, unfinished.size());
      requests.add(queue.extendVisibility(unfinished.subList(from, to), Duration.ZERO));
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new));
  }
}
