package io.indexview.connect.s3.record;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The primary-change topic as far as looks need it, and who asks for a resnapshot. */
public interface ChangeTopic extends AutoCloseable {
  /** Of a task that looks at nothing: nobody asks it for anything. */
  ChangeTopic UNREACHABLE =
      new ChangeTopic() {
        @Override
        public long requested() {
          return 0;
        }

        @Override
        public Optional<String> idSince(Instant time) {
          return Optional.empty();
        }

        @Override
        public Bounds bounds() {
          throw new IllegalStateException("a topic that nobody looks at");
        }

        @Override
        public Batch read(Map<Integer, Long> positions) {
          throw new IllegalStateException("a topic that nobody looks at");
        }
      };

  /** Number of the newest request for a resnapshot that is known; 0: none. Returns at once. */
  long requested();

  /**
   * Kafka's id of the topic at some moment since a time; empty while that is not known, or there is
   * no such topic. Returns at once; to be asked again.
   */
  Optional<String> idSince(Instant time);

  /**
   * Where each partition begins and ends now.
   *
   * @throws org.apache.kafka.common.KafkaException if the brokers do not answer
   */
  Bounds bounds();

  /** Where each partition ends now; as {@link #bounds}. */
  default Map<Integer, Long> ends() {
    return bounds().ends();
  }

  /**
   * The next events, committed ones only, in the order of each partition; none if none came yet.
   *
   * @param positions offset to read next, of every partition
   * @throws org.apache.kafka.common.KafkaException if the brokers do not answer, or the topic no
   *     longer holds a position
   */
  Batch read(Map<Integer, Long> positions);

  @Override
  default void close() {}

  /**
   * What a topic holds.
   *
   * @param begins first offset still held, per partition
   * @param ends offset after the last committed event, per partition
   */
  record Bounds(Map<Integer, Long> begins, Map<Integer, Long> ends) {
    public Bounds {
      begins = Map.copyOf(begins);
      ends = Map.copyOf(ends);
    }
  }

  /**
   * Some events.
   *
   * @param positions offset to read after them, per partition; passes markers of transactions,
   *     which are no events
   */
  record Batch(List<LoggedEvent> events, Map<Integer, Long> positions) {
    public Batch {
      events = List.copyOf(events);
      positions = Map.copyOf(positions);
    }
  }

  /**
   * One record of the topic.
   *
   * @param key null if it has none
   * @param value null for a tombstone
   */
  record LoggedEvent(int partition, long offset, long timestampMs, byte[] key, byte[] value) {}
}
