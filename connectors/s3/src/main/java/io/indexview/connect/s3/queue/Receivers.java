package io.indexview.connect.s3.queue;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps receive requests open at a queue, as long as there is room for what they bring: one while
 * the queue has little, for each is paid for, and up to as many as may be while answers are full.
 * Works on one thread, to which answers come back through {@code onThread}; how it stands may be
 * asked on any.
 */
public final class Receivers {
  private static final Logger LOGGER = LoggerFactory.getLogger(Receivers.class);

  /** In characters: SQS takes messages of a million, and a thousand may be in flight. */
  private static final long MAX_UNREAD = 16L << 20;

  private final EventQueue queue;
  private final InFlightMessages inFlight;
  private final Settings settings;
  private final Consumer<Runnable> onThread;
  private final Consumer<List<QueueMessage>> arrived;
  private final RetryTimer retry;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private int open;
  private int wanted = 1;
  private boolean isEnding;
  private boolean isAnswered;
  private volatile boolean answering;
  private volatile AwsRequestException failure;

  /**
   * @param receivers requests open at once, at most
   * @param maxInFlight messages that may be in flight
   */
  public record Settings(int receivers, int maxInFlight, Duration longPoll, Duration visibility) {}

  /**
   * @param onThread runs a task on the session's thread, in order
   * @param arrived takes messages that are to be read
   */
  public Receivers(
      EventQueue queue,
      InFlightMessages inFlight,
      Settings settings,
      Backoff backoff,
      Time time,
      Consumer<Runnable> onThread,
      Consumer<List<QueueMessage>> arrived) {
    this.queue = queue;
    this.inFlight = inFlight;
    this.settings = settings;
    this.retry = new RetryTimer(backoff, time);
    this.onThread = onThread;
    this.arrived = arrived;
  }

  /** Opens as many requests as there is room for now. */
  public void fill() {
    while (failure == null
        && !isEnding
        && open < wanted
        && retry.isDue()
        && inFlight.unread() < MAX_UNREAD
        && inFlight.size() + (open + 1) * EventQueue.BATCH_LIMIT <= room()) {
      open++;
      queue
          .receive(isAnswered ? settings.longPoll() : Duration.ZERO, settings.visibility())
          .whenComplete((messages, thrown) -> onThread.accept(() -> answered(messages, thrown)));
    }
  }

  /** One request always fits when nothing is in flight. */
  private int room() {
    return Math.max(settings.maxInFlight(), EventQueue.BATCH_LIMIT);
  }

  private void answered(List<QueueMessage> messages, Throwable thrown) {
    open--;
    enter(messages, thrown);
    if (isEnding && open == 0) {
      ended.complete(null);
    }
  }

  private void enter(List<QueueMessage> messages, Throwable thrown) {
    if (thrown != null) {
      failed(thrown);
      return;
    }
    if (retry.failures() > 0) {
      LOGGER.info("The queue answers again after {} failures", retry.failures());
      retry.succeeded();
      retry.setDueIn(Duration.ZERO);
    }
    answering = true;
    isAnswered = true;
    adapt(messages.size());
    List<QueueMessage> fresh = inFlight.received(messages);
    if (!fresh.isEmpty()) {
      arrived.accept(fresh);
    }
    fill();
  }

  private void adapt(int received) {
    if (received == EventQueue.BATCH_LIMIT) {
      wanted = Math.min(2 * wanted, settings.receivers());
    } else if (received == 0) {
      wanted = Math.max(1, wanted - 1);
    }
  }

  /**
   * Opens no further requests.
   *
   * @return done when those that are open have been answered, and what they brought
   */
  public CompletableFuture<Void> end() {
    onThread.accept(
        () -> {
          isEnding = true;
          if (open == 0) {
            ended.complete(null);
          }
        });
    return ended;
  }

  private void failed(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (!(cause instanceof AwsRequestException.Unavailable)) {
      failure =
          cause instanceof AwsRequestException known
              ? known
              : new AwsRequestException.Permanent("receiving failed: " + cause.getMessage(), cause);
      return;
    }
    answering = false;
    if (retry.failed()) {
      LOGGER.warn(
          "No messages are received, it is tried again until the queue answers: {}",
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
  }

  /** What ended the receiving for good; null while nothing did. */
  public AwsRequestException failure() {
    return failure;
  }

  /** Whether the last request was answered; false before the first answer. */
  public boolean answering() {
    return answering;
  }
}
