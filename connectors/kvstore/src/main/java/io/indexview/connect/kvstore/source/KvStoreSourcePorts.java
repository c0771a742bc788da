package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.KafkaChangeTopicReader;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.Requests.SourceRequests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;

/** The outside systems that a configuration names. */
record KvStoreSourcePorts(KvStoreSourceConfig config) implements SourcePorts {
  @Override
  public KvStore openStore() {
    return config.store().open();
  }

  @Override
  public ChangeTopicReader openReader(KvRecordSet recordSet) {
    return KafkaChangeTopicReader.open(
        recordSet.topic(),
        "indexview-index-" + config.source().name() + "-" + recordSet.name(),
        config.kafka().settings());
  }

  @Override
  public SchemaRegistry openRegistry() {
    return SchemaRegistries.create(config.originals());
  }

  @Override
  public Requests openRequests(SchemaRegistry registry) {
    return SourceRequests.watch(config.kafka().settings(), config.source().topics(), registry);
  }
}
