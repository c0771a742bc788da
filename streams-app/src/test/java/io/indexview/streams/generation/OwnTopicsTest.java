package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnTopicsTest {
  private final FakeCluster cluster = new FakeCluster();

  private List<String> warnings() {
    try (LogLines log = LogLines.warnings(OwnTopics.class)) {
      new OwnTopics(cluster).warnOfSingleReplicas(List.of("states", "changelog", "rows", "none"));
      return log.get();
    }
  }

  @Test
  void warnsOfTopicsWithOneReplicaWhereThereAreSeveralBrokers() {
    List.of("states", "changelog", "rows", "other").forEach(topic -> cluster.add(topic, 2));
    cluster.brokers = 3;
    cluster.replicas.put("states", 1);
    cluster.replicas.put("changelog", 1);
    cluster.replicas.put("rows", 2);
    cluster.replicas.put("other", 1);

    assertThat(warnings())
        .singleElement()
        .asString()
        .contains(
            "[changelog, states]",
            "kafka-reassign-partitions.sh",
            "default.replication.factor",
            "topic.replication.factor",
            "view topics that are created later");

    cluster.replicas.clear();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void warnsOfNothingWhereThereIsOneBroker() {
    cluster.add("states", 1);

    assertThat(warnings()).isEmpty();
  }
}
