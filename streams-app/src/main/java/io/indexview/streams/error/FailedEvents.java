package io.indexview.streams.error;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.state.TopicIncarnation;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;

/**
 * Remembers which events made their tasks fail: one that does so {@value #TRIES} times is passed
 * over, or it would end the application again after each start. One that took longer than a
 * transaction may fails without an exception: it comes again. Many of them in a short time are no
 * matter of single events any more, so then no other one is passed over. For all tasks of a
 * process; safe for use by several threads.
 */
public final class FailedEvents {
  static final int TRIES = 2;
  static final int REMEMBERED = 1_000;
  static final int PASSED_OVER = 20;
  static final Duration WINDOW = Duration.ofMinutes(10);

  private final Clock clock;
  private final Deque<Instant> passedOver = new ArrayDeque<>();

  /** Never changed, but replaced: it is asked for every event. The oldest come first. */
  private volatile Map<Event, Failed> failed = Map.of();

  private record Event(String topic, int partition, long position) {}

  private record Failed(int times, String reason) {}

  /** The thread failed for an event that is passed over soon, so that it may be replaced. */
  public static final class EventFailedException extends RuntimeException {
    private EventFailedException(Event event, Throwable cause) {
      super(
          "the event at offset %d of partition %d of topic %s fails"
              .formatted(
                  TopicIncarnation.offset(event.position()), event.partition(), event.topic()),
          cause);
    }
  }

  public FailedEvents(Clock clock) {
    this.clock = clock;
  }

  /**
   * Why an event is to be passed over; empty: it is to be processed.
   *
   * @param position see {@link TopicIncarnation#position}: a topic that was created anew has
   *     another event at the same offset
   */
  public Optional<String> reasonToPassOver(String topic, int partition, long position) {
    Map<Event, Failed> known = failed;
    if (known.isEmpty()) {
      return Optional.empty();
    }
    return Optional.ofNullable(known.get(new Event(topic, partition, position)))
        .filter(one -> one.times() >= TRIES)
        .map(Failed::reason);
  }

  /**
   * Notes a failure.
   *
   * @param position as above
   * @return what is to be thrown: the failure itself if it says nothing of the event
   */
  public RuntimeException of(String topic, int partition, long position, Throwable failure) {
    if (isOfEvent(failure)) {
      String reason = "processing it fails: " + describe(failure);
      return note(new Event(topic, partition, position), reason, failure);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failure;
  }

  /**
   * Notes that processing took longer than a transaction may. If it is committed all the same the
   * event never comes again.
   *
   * @param position as above
   */
  public void tookTooLong(String topic, int partition, long position, Duration took) {
    String reason =
        "processing it takes %d s, which is longer than a transaction may take"
            .formatted(took.toSeconds());
    note(new Event(topic, partition, position), reason, null);
  }

  private synchronized RuntimeException note(Event event, String reason, Throwable failure) {
    Instant now = clock.instant();
    while (!passedOver.isEmpty() && passedOver.peekFirst().isBefore(now.minus(WINDOW))) {
      passedOver.removeFirst();
    }
    if (passedOver.size() >= PASSED_OVER) {
      return new IllegalStateException(
          "%d events failed within %s, so it is no matter of single events: no more are passed over"
              .formatted(PASSED_OVER, WINDOW),
          failure);
    }
    Map<Event, Failed> next = new LinkedHashMap<>(failed);
    Failed before = next.remove(event);
    int times = before == null ? 1 : before.times() + 1;
    if (times == TRIES) {
      passedOver.addLast(now);
    }
    next.put(event, new Failed(times, reason));
    if (next.size() > REMEMBERED) {
      next.remove(next.keySet().iterator().next());
    }
    failed = next;
    return new EventFailedException(event, failure);
  }

  /** What failed, without the message, which may hold content of the record. */
  public static String describe(Throwable failure) {
    StackTraceElement[] frames = failure.getStackTrace();
    String type = failure.getClass().getName();
    return frames.length == 0 ? type : type + " at " + frames[0];
  }

  /** Brokers, registry, memory and missing classes fail whatever the event is. */
  public static boolean isOfEvent(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      boolean isOfMachine =
          cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
      if (isOfMachine
          || cause instanceof LinkageError
          || cause instanceof KafkaException
          || cause instanceof RegistryException
          || cause instanceof StoppedException) {
        return false;
      }
    }
    return true;
  }
}
