package io.indexview.streams.generation;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Whether a topic holds every event that came, as far as the cluster can tell. */
final class ReplayCheck {
  private static final String REMEDY = "; rebuild with a resnapshot";

  private ReplayCheck() {}

  /**
   * Why a topic cannot be replayed; empty if nothing speaks against it.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   */
  static Optional<String> obstacle(Cluster cluster, String topic) {
    if (cluster.cleanupPolicies(topic).contains("compact")) {
      return Optional.of(
          "topic %s cannot be replayed: its cleanup.policy compacts it, so older events of a record are gone%s"
              .formatted(topic, REMEDY));
    }
    for (Map.Entry<Integer, Long> first : new TreeMap<>(cluster.beginnings(topic)).entrySet()) {
      if (first.getValue() > 0) {
        return Optional.of(
            "topic %s cannot be replayed: the records of partition %d before offset %d are deleted%s"
                .formatted(topic, first.getKey(), first.getValue(), REMEDY));
      }
    }
    return Optional.empty();
  }
}
