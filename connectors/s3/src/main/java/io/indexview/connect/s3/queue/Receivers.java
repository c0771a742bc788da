package io.indexview.connect.s3.queue;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
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

  private static final Instant NOT_KNOWN = Instant.MIN;

  /**
   * Bound of what is unread, in characters: SQS takes messages of a million, and a thousand may be
   * in flight.
   */
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

  /**
   * When the oldest message of the last answer was sent, until a long poll brings none: more like
   * it may wait in the queue. A short poll that brings none says nothing.
   */
  private volatile Instant backlogSentAt = NOT_KNOWN;

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
      boolean isLongPoll = isAnswered;
      queue
          .receive(isLongPoll ? settings.longPoll() : Duration.ZERO, settings.visibility())
          .whenComplete(
              (messages, thrown) -> onThread.accept(() -> answered(messages, isLongPoll, thrown)));
    }
  }

  /**
   * Most messages in flight, with those that open requests may bring; one request always fits when
   * nothing is in flight.
   */
  private int room() {
    return Math.max(settings.maxInFlight(), EventQueue.BATCH_LIMIT);
  }

  private void answered(List<QueueMessage> messages, boolean isLongPoll, Throwable thrown) {
    open--;
    enter(messages, isLongPoll, thrown);
    if (isEnding && open == 0) {
      ended.complete(null);
    }
  }

  private void enter(List<QueueMessage> messages, boolean isLongPoll, Throwable thrown) {
    if (thrown != null) {
      failed(thrown);
      return;
    }
    if (retry.failures() > 0) {
      LOGGER.info("The queue answers again after {} failures", retry.failures());
      retry.succeeded();
      retry.setDueIn(Duration.ZERO);
    }
    // In this order: whoever sees an answer sees its messages in flight.
    List<QueueMessage> fresh = inFlight.received(messages);
    noteBacklog(messages, isLongPoll);
    answering = true;
    isAnswered = true;
    adapt(messages.size());
    if (!fresh.isEmpty()) {
      arrived.accept(fresh);
    }
    fill();
  }

  private void noteBacklog(List<QueueMessage> received, boolean isLongPoll) {
    if (isLongPoll || !received.isEmpty()) {
      backlogSentAt =
          received.stream()
              .map(QueueMessage::sentAt)
              .min(Comparator.naturalOrder())
              .orElse(Instant.MAX);
    }
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

  /**
   * All that was sent to the queue before is in Kafka, as far as answers tell: nothing older is in
   * flight, or was in the last answer of a queue that may have more. Empty before an answer tells,
   * and if the last request failed.
   */
  public Optional<Instant> publishedUntil(Instant now) {
    if (!answering) {
      return Optional.empty();
    }
    // What an answer brings is in flight before it counts as one.
    Instant backlog = backlogSentAt;
    return backlog.equals(NOT_KNOWN)
        ? Optional.empty()
        : Stream.of(now, backlog, inFlight.oldestSentAt().orElse(now))
            .min(Comparator.naturalOrder());
  }
}
