package io.indexview.connect.common.index;

import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;

/**
 * Reads the whole primary-change topic of one record set, committed events only. For one thread.
 *
 * <p>Every method but {@link #idSince} throws {@link ChangeTopicException}: worth a retry.
 */
public interface ChangeTopicReader extends AutoCloseable {
  /**
   * What the topic holds now.
   *
   * @throws MissingTopicException if there is no such topic
   */
  Bounds bounds();

  /**
   * Kafka's id of the topic at some moment since an earlier one; empty while that is not known, or
   * there is no such topic. Returns at once; to be asked again.
   *
   * @param moment like {@link System#nanoTime}
   */
  Optional<String> idSince(long moment);

  /** The next {@link #poll} reads from here; takes every partition of the topic. */
  void seek(Map<Integer, Long> positions);

  /**
   * The next events, in the order of each partition; none if none came in time.
   *
   * @throws ChangeTopicException also when the topic no longer holds the position
   */
  List<LoggedEvent> poll(Duration timeout);

  /** Offset to read next, per partition; passes markers of transactions, which are no events. */
  Map<Integer, Long> positions();

  @Override
  void close();

  /**
   * What a topic holds.
   *
   * @param topicId Kafka's id: another one means that the topic was created again
   * @param begins first offset still held, per partition
   * @param ends offset after the last committed event, per partition
   */
  record Bounds(String topicId, Map<Integer, Long> begins, Map<Integer, Long> ends) {
    public Bounds {
      begins = Map.copyOf(begins);
      ends = Map.copyOf(ends);
    }
  }

  /**
   * One record of the topic.
   *
   * @param key null if it has none
   * @param value null for a tombstone
   */
  record LoggedEvent(int partition, long offset, long timestampMs, byte[] key, byte[] value) {}

  /** The topic cannot be read now. */
  class ChangeTopicException extends KafkaException {
    private static final long serialVersionUID = 1L;

    public ChangeTopicException(String message, Throwable cause) {
      super(message, cause);
    }

    /** Thrown when the topic does not exist, or no longer. */
    public static final class MissingTopicException extends ChangeTopicException {
      private static final long serialVersionUID = 1L;

      public MissingTopicException(String topic, Throwable cause) {
        super(
            "topic %s does not exist; create it with the partitions and the retention that the views need"
                .formatted(topic),
            cause);
      }
    }
  }
}
