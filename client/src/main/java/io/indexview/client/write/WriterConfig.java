package io.indexview.client.write;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import java.util.Objects;

/**
 * What a writer writes. Keys, topic and incarnation must be those of the source that scans the
 * record set, or the two would not speak of the same records.
 *
 * @param recordSet its name
 * @param keys of its records: their prefix, and their minor paths if it does not have all
 * @param topic the primary-change topic
 * @param incarnation of the store, as the source has it ({@code kvstore.incarnation})
 * @param client who writes, for those who read the events
 * @param maxInFlight events that Kafka has not acknowledged, at most; then writes wait
 */
public record WriterConfig(
    String recordSet,
    KvKeySet keys,
    String topic,
    String incarnation,
    String client,
    int maxInFlight) {
  public static final String DEFAULT_INCARNATION = "1";
  public static final int DEFAULT_MAX_IN_FLIGHT = 1_000;

  public WriterConfig {
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(client, "client");
    if (maxInFlight < 1) {
      throw new IllegalArgumentException("maxInFlight %d: use 1 or more".formatted(maxInFlight));
    }
  }

  /**
   * Creates the configuration of a record set that has all keys below a prefix, which is a leading
   * run of the major path.
   */
  public WriterConfig(
      String recordSet,
      KvKey prefix,
      String topic,
      String incarnation,
      String client,
      int maxInFlight) {
    this(recordSet, KvKeySet.under(prefix), topic, incarnation, client, maxInFlight);
  }
}
