package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.preflight.Preflight;
import io.indexview.connect.common.preflight.TopicQuestions;
import io.indexview.connect.kvstore.config.CaptureFragment;
import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreFragment;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.config.RecordSetsFragment;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.RegistryConfig;
import java.util.Optional;

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
            .with(
                KafkaFragment.BOOTSTRAP_CONFIG,
                TopicQuestions.brokers(config.kafka()),
                this::askForTopics)
            .with(
                RegistryConfig.URL_CONFIG,
                TopicQuestions.registry(config),
                problems -> askRegistry());
    // An embedded store is there when it is opened, and only the worker of the task may do so.
    if (!config.store().isEmbedded()) {
      preflight.with(
          KvStoreFragment.URI_CONFIG, config.store().described(), problems -> askStore());
      if (config.capture().mode() == CaptureMode.SUBSCRIPTION) {
        preflight.with(
            CaptureFragment.MODE_CONFIG, config.store().described(), problems -> askForChanges());
      }
    }
    return preflight.ask();
  }

  private void askStore() {
    try (KvStore store = ports.openStore()) {
      store.get(first().prefix(), KvConsistency.ABSOLUTE);
    }
  }

  private void askForChanges() {
    try (KvStore store = ports.openStore()) {
      store.changes(first().keys(), Optional.empty()).close();
    }
  }

  private void askRegistry() {
    TopicQuestions.askRegistry(first().topic(), ports::openRegistry);
  }

  private KvRecordSet first() {
    return config.recordSets().recordSet(config.recordSets().names().get(0));
  }

  private void askForTopics(ConfigProblems problems) {
    for (String name : config.recordSets().names()) {
      TopicQuestions.askBrokers(
          RecordSetsFragment.key(name, "topic"),
          () -> ports.openReader(config.recordSets().recordSet(name)),
          problems);
    }
  }
}
