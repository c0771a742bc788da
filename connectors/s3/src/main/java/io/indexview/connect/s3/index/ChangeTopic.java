package io.indexview.connect.s3.index;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.schemas.control.SourceRequest;
import java.util.Map;
import java.util.Optional;

/** The primary-change topic as far as listings need it, and who requests an ad-hoc snapshot. */
public interface ChangeTopic extends AutoCloseable {
  /** The topic of a task that lists and reads nothing, and never asks it. */
  ChangeTopic UNREACHABLE =
      new ChangeTopic() {
        @Override
        public long requested() {
          return 0;
        }

        @Override
        public boolean isPublishedAgain(String bucket) {
          return false;
        }

        @Override
        public Optional<String> idSince(long moment) {
          return Optional.empty();
        }

        @Override
        public ChangeTopicReader reader() {
          throw new IllegalStateException("a topic that nobody reads");
        }
      };

  /**
   * Number of the newest request for an ad-hoc snapshot that is known; 0: none. Returns at once.
   */
  long requested();

  /** The newest request to list everything once that is known. Returns at once. */
  default Optional<SourceRequest> scanRequest() {
    return Optional.empty();
  }

  /** See {@link AdHocSnapshots#isUnderWay}. Returns at once. */
  boolean isPublishedAgain(String bucket);

  /**
   * Kafka's id of the topic at some moment since an earlier one; empty while that is not known, or
   * there is no such topic. Returns at once; to be asked again.
   *
   * @param moment like {@link System#nanoTime}
   */
  Optional<String> idSince(long moment);

  /** All its events, and where it begins and ends. The same each time; closed with this. */
  ChangeTopicReader reader();

  /**
   * Where each partition ends now.
   *
   * @throws org.apache.kafka.common.KafkaException if the brokers do not answer
   */
  default Map<Integer, Long> ends() {
    return reader().bounds().ends();
  }

  @Override
  default void close() {}
}
