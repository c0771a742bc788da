package io.indexview.streams.task;

import io.indexview.streams.People;
import io.indexview.streams.derive.ChangeRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** One partition of the primary-change topic, as it comes to a task and as it is read again. */
final class WorldTopic {
  /** Offsets between two events: more than one as if transaction markers lay between them. */
  int offsetStep = 1;

  /** Offset of the first record that is kept. */
  long begin;

  /** Whether the cluster does not answer. */
  boolean isDown;

  /** Whether it may be described, but not read. */
  boolean isReadDenied;

  /** How many read it again now. */
  int readers;

  private final int partition;
  private final List<Arrived> events = new ArrayList<>();

  /** What becomes of an event. */
  enum Fate {
    NORMAL,
    /** The task gets it, but it is not on the topic. */
    PHANTOM,
    /** It is on the topic, but the task passes it over. */
    MISSED
  }

  private record Arrived(ChangeRecord change, Fate fate) {}

  WorldTopic(int partition) {
    this.partition = partition;
  }

  void add(byte[] key, byte[] value, long timestampMs, Fate fate) {
    events.add(
        new Arrived(
            new ChangeRecord(People.TOPIC, partition, end(), timestampMs, key, value), fate));
  }

  /** It is deleted and created again. */
  void clear() {
    events.clear();
  }

  int size() {
    return events.size();
  }

  /** Of the event after so many. */
  long offset(int position) {
    return (long) position * offsetStep;
  }

  long end() {
    return offset(events.size());
  }

  /** The event after so many, unless the task passes it over. */
  Optional<ChangeRecord> noticed(int position) {
    return Optional.of(events.get(position))
        .filter(event -> event.fate() != Fate.MISSED)
        .map(Arrived::change);
  }

  /** How many events there were with the last one on a record that the task did not pass over. */
  int lastNoticed(byte[] key, int position) {
    int last = position;
    while (last > 0 && !isNoticed(events.get(last - 1), key)) {
      last--;
    }
    return last;
  }

  private static boolean isNoticed(Arrived event, byte[] key) {
    return event.fate() == Fate.NORMAL && Arrays.equals(event.change().key(), key);
  }

  private List<ChangeRecord> kept() {
    return events.stream()
        .filter(event -> event.fate() != Fate.PHANTOM)
        .map(Arrived::change)
        .toList();
  }

  /**
   * @param committed events that the application has processed
   */
  CompletableFuture<ReplayReader> open(int committed) {
    if (isDown) {
      return CompletableFuture.failedFuture(new TimeoutException("nobody answers"));
    }
    readers++;
    ReplayReader.Bounds bounds = new ReplayReader.Bounds(begin, offset(committed), end());
    return CompletableFuture.completedFuture(
        new ListedChangeTopicReader(this::kept, this::end, bounds) {
          private boolean isAsked;

          @Override
          public List<ChangeRecord> poll() {
            if (isReadDenied) {
              // As of Kafka's client: the answer to the first request comes to a later poll.
              if (isAsked) {
                throw new TopicAuthorizationException(People.TOPIC);
              }
              isAsked = true;
              return List.of();
            }
            if (isDown) {
              throw new TimeoutException("nobody answers");
            }
            return super.poll();
          }

          @Override
          public void close() {
            readers--;
          }
        });
  }
}
