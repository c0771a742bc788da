package io.indexview.streams.error;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.FailedEvents.EventFailedException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.streams.errors.MissingSourceTopicException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a failed thread means. An outage (of brokers or registry, or that a topic is gone)
 * is waited out: the thread is replaced however often it takes. So is a transaction that the
 * brokers ended while the process stood still. One event cannot end the client: it is passed over
 * soon. Anything else is replaced a few times, since it may pass, and then ends the client, since
 * it does not. Safe for use by several threads.
 */
public final class ThreadFailures implements StreamsUncaughtExceptionHandler {
  static final int REPLACEMENTS = 3;
  static final Duration WINDOW = Duration.ofMinutes(10);

  private static final Logger LOGGER = LoggerFactory.getLogger(ThreadFailures.class);

  private final String thread;
  private final StopSignal stop;
  private final Clock clock;
  private final Consumer<Throwable> onGivingUp;
  private final Deque<Instant> replaced = new ArrayDeque<>();

  /**
   * @param thread for messages
   * @param onGivingUp receives the last failure before the client is shut down
   */
  public ThreadFailures(
      String thread, StopSignal stop, Clock clock, Consumer<Throwable> onGivingUp) {
    this.thread = thread;
    this.stop = stop;
    this.clock = clock;
    this.onGivingUp = onGivingUp;
  }

  @Override
  public StreamThreadExceptionResponse handle(Throwable failure) {
    if (stop.isStopped()) {
      LOGGER.debug("{} ended while the application is closing", thread, failure);
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    if (isOutage(failure)) {
      LOGGER.warn(
          "{} ended because a broker, the registry, a topic or its transaction is away; it is replaced",
          thread,
          failure);
      return StreamThreadExceptionResponse.REPLACE_THREAD;
    }
    if (isOfEvent(failure)) {
      LOGGER.error(
          "{} failed for one event and is replaced; the event is passed over if it fails once more",
          thread,
          failure);
      return StreamThreadExceptionResponse.REPLACE_THREAD;
    }
    if (replacementsLeft()) {
      LOGGER.error(
          "{} failed and is replaced; after {} such failures within {} the application ends",
          thread,
          REPLACEMENTS + 1,
          WINDOW,
          failure);
      return StreamThreadExceptionResponse.REPLACE_THREAD;
    }
    LOGGER.error(
        "{} failed after {} replacements within {}, so the application ends, and has to be started again",
        thread,
        REPLACEMENTS,
        WINDOW,
        failure);
    onGivingUp.accept(failure);
    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
  }

  private static boolean isOutage(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RetriableException
          || cause instanceof MissingSourceTopicException
          // To whoever is fenced in a commit; other answers of that kind Kafka Streams takes
          // itself.
          || cause instanceof InvalidTxnStateException
          || cause instanceof RegistryException registry && registry.isOutage()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfEvent(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof EventFailedException) {
        return true;
      }
    }
    return false;
  }

  private synchronized boolean replacementsLeft() {
    Instant now = clock.instant();
    while (!replaced.isEmpty() && replaced.peekFirst().isBefore(now.minus(WINDOW))) {
      replaced.removeFirst();
    }
    if (replaced.size() >= REPLACEMENTS) {
      return false;
    }
    replaced.addLast(now);
    return true;
  }
}
