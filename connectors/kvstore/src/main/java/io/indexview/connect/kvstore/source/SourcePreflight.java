package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.log.ChangeLog;
import io.indexview.connect.common.log.MissingTopicException;
import io.indexview.connect.common.preflight.Preflight;
import io.indexview.connect.kvstore.config.KvStoreFragment;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.connect.kvstore.config.RecordSetsFragment;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;

/** Tries out whether the store, the topics and the registry of a configuration can be used. */
final class SourcePreflight {
  private final KvStoreSourceConfig config;
  private final SourcePorts ports;

  SourcePreflight(KvStoreSourceConfig config, SourcePorts ports) {
    this.config = config;
    this.ports = ports;
  }

  /** What is wrong, each problem on its key; nothing if nobody is to be asked. */
  ConfigProblems ask() {
    if (!config.preflight().isWanted()) {
      return new ConfigProblems();
    }
    Preflight preflight =
        new Preflight(config.preflight().timeout())
            .with(KafkaFragment.BOOTSTRAP_CONFIG, this::askForTopics)
            .with(RegistryConfig.URL_CONFIG, problems -> askRegistry());
    // An embedded store is there when it is opened, and only the worker of the task may do so.
    if (!config.store().isEmbedded()) {
      preflight.with(KvStoreFragment.URI_CONFIG, problems -> askStore());
    }
    return preflight.ask();
  }

  private void askStore() {
    try (KvStore store = ports.openStore()) {
      store.get(first().prefix(), KvConsistency.ABSOLUTE);
    }
  }

  private void askRegistry() {
    try (SchemaRegistry registry = ports.openRegistry()) {
      registry.latest(Subjects.value(first().topic()));
    }
  }

  private RecordSetConfig first() {
    return config.recordSets().recordSet(config.recordSets().names().get(0));
  }

  private void askForTopics(ConfigProblems problems) {
    for (String name : config.recordSets().names()) {
      try (ChangeLog log = ports.openLog(config.recordSets().recordSet(name))) {
        log.bounds();
      } catch (MissingTopicException e) {
        problems.add(RecordSetsFragment.key(name, "topic"), e.getMessage());
      }
    }
  }
}
