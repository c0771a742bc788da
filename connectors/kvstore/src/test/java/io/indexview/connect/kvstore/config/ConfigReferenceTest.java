package io.indexview.connect.kvstore.config;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheSourceAsItIs() throws IOException {
    new ConfigPage(
            "kvstore-source.md",
            "KV store source",
            """
            `io.indexview.connect.kvstore.source.KvStoreSourceConnector` scans a KV store, follows its
            changes, and publishes what changed. NAME stands for each name in `record.sets`. Connect's own keys (`tasks.max`,
            converters, `errors.*`) come on top; see [settings of every connector](../connectors.md#settings-of-every-connector).""",
            KvStoreSourceConfig.definition(Map.of(RecordSetsFragment.NAMES_CONFIG, "NAME")))
        .verify();
  }

  @Test
  void describesTheSinkAsItIs() throws IOException {
    new ConfigPage(
            "kvstore-sink.md",
            "KV store sink",
            """
            `io.indexview.connect.kvstore.sink.KvStoreSinkConnector` writes view rows into a KV store.
            Connect's own keys (`topics.regex`, converters, `errors.*`) come on top, and
            `consumer.override.isolation.level` must be `read_committed`,
            `consumer.override.partition.assignment.strategy`
            `org.apache.kafka.clients.consumer.CooperativeStickyAssignor`; see
            [settings of every connector](../connectors.md#settings-of-every-connector).""",
            KvStoreSinkConfig.definition())
        .verify();
  }
}
