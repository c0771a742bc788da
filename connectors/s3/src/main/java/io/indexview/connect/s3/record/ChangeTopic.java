package io.indexview.connect.s3.record;

import java.util.Map;

/** The primary-change topic as far as a resnapshot needs it, and who asks for one. */
public interface ChangeTopic extends AutoCloseable {
  /** Of a source that cannot ask Kafka: nobody asks it for anything. */
  ChangeTopic UNREACHABLE =
      new ChangeTopic() {
        @Override
        public long requested() {
          return 0;
        }

        @Override
        public Map<Integer, Long> ends() {
          throw new IllegalStateException("nobody asked for a resnapshot");
        }
      };

  /** Number of the newest request for a resnapshot that is known; 0: none. Returns at once. */
  long requested();

  /**
   * Where each partition ends now.
   *
   * @throws org.apache.kafka.common.KafkaException if the brokers do not answer
   */
  Map<Integer, Long> ends();

  @Override
  default void close() {}
}
