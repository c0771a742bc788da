package io.indexview.streams.error;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.StopSignal.StoppedException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Remembers which event made its task fail: one that does so {@value #TRIES} times is passed over,
 * or it would end the application again after each start. For all tasks of a process; safe for use
 * by several threads.
 */
public final class FailedEvents {
  static final int TRIES = 2;

  private final Map<TopicPartition, Failed> failed = new ConcurrentHashMap<>();

  private record Failed(long offset, int times, String reason) {}

  /** The thread failed for an event that is passed over soon, so that it may be replaced. */
  public static final class EventFailedException extends RuntimeException {
    private EventFailedException(TopicPartition partition, long offset, Throwable cause) {
      super("the event at offset %d of %s fails".formatted(offset, partition), cause);
    }
  }

  /** Why an event is to be passed over; empty: it is to be processed. */
  public Optional<String> reasonToSkip(TopicPartition partition, long offset) {
    if (failed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.ofNullable(failed.get(partition))
        .filter(one -> one.offset() == offset && one.times() >= TRIES)
        .map(Failed::reason);
  }

  /**
   * Notes a failure.
   *
   * @return what is to be thrown: the failure itself if it says nothing of the event
   */
  public RuntimeException of(TopicPartition partition, long offset, Throwable failure) {
    if (isOfEvent(failure)) {
      failed.merge(
          partition,
          new Failed(offset, 1, "processing it fails: " + failure),
          (before, now) ->
              before.offset() == offset
                  ? new Failed(offset, before.times() + 1, now.reason())
                  : now);
      return new EventFailedException(partition, offset, failure);
    }
    return (RuntimeException) failure;
  }

  /** Brokers and registry fail whatever the event is. */
  private static boolean isOfEvent(Throwable failure) {
    return !(failure instanceof KafkaException)
        && !(failure instanceof RegistryException)
        && !(failure instanceof StoppedException);
  }
}
