package io.indexview.streams.task;

import io.indexview.streams.derive.ChangeRecord;
import java.util.List;

/**
 * Reads one partition of a primary-change topic again. For one thread at a time.
 *
 * <p>Methods but {@link #close} throw {@link org.apache.kafka.common.KafkaException} if the cluster
 * does not answer; it is to be closed then, and another one opened.
 */
public interface ReplayReader extends AutoCloseable {

  /** What was known of the partition when it was opened. */
  Bounds bounds();

  /**
   * @param begin offset of the first record that is kept; 0: nothing was ever deleted
   * @param committed where the application goes on with the partition; 0: at its start
   * @param end after the last committed record
   */
  record Bounds(long begin, long committed, long end) {}

  /** Reads from there on. */
  void seek(long offset);

  /**
   * The committed records that come next; none if they are not here yet. Returns at once.
   *
   * @throws RecordsGoneException if they are deleted
   */
  List<ChangeRecord> poll() throws RecordsGoneException;

  /** Offset before which everything was returned, or is no committed record. */
  long position();

  @Override
  void close();

  /** Records of the topic were deleted before they were read. */
  final class RecordsGoneException extends Exception {
    public RecordsGoneException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
