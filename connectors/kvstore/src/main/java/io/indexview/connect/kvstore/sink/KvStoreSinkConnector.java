package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.preflight.Preflight;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreFragment;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.Target;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Writes view rows from view topics into a KV store. */
public final class KvStoreSinkConnector extends SinkConnector {
  private Map<String, String> properties;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    PluginFaults.explaining(
        () -> {
          new KvStoreSinkConfig(props).problems().throwIfAny();
          properties = Map.copyOf(props);
        });
  }

  @Override
  public Class<? extends Task> taskClass() {
    return KvStoreSinkTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return Collections.nCopies(maxTasks, properties);
  }

  @Override
  public void stop() {}

  @Override
  public ConfigDef config() {
    return KvStoreSinkConfig.definition();
  }

  /** Validates the keys, and then tries the store out, in a bounded time. */
  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    return PluginFaults.explained(() -> validated(connectorConfigs));
  }

  private Config validated(Map<String, String> connectorConfigs) {
    return ConfigProblems.addTo(
        KvStoreSinkConfig.validate(connectorConfigs),
        () -> {
          KvStoreSinkConfig config = new KvStoreSinkConfig(connectorConfigs);
          return new SinkPreflight(config, config.store()::openWriter).ask();
        });
  }

  /** Accepts any offsets: rows are written and removed by key, as often as they come. */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<TopicPartition, Long> offsets) {
    return true;
  }

  /** Tries out whether the store of a configuration can be read and written. */
  static final class SinkPreflight {
    private final KvStoreSinkConfig config;
    private final Supplier<KvStore> opener;

    /**
     * @param opener opens the store as a task does
     */
    SinkPreflight(KvStoreSinkConfig config, Supplier<KvStore> opener) {
      this.config = config;
      this.opener = opener;
    }

    /** What is wrong, on its key; nothing if nobody is to be asked. */
    ConfigProblems ask() {
      // An embedded store is there when it is opened, and only the worker of the task may do so.
      if (!config.preflight().isWanted() || config.store().isEmbedded()) {
        return new ConfigProblems();
      }
      return new Preflight(config.preflight().timeout())
          .with(KvStoreFragment.URI_CONFIG, config.store().described(), problems -> askStore())
          .ask();
    }

    /**
     * Deletes what is not there, beside the metadata: the store lets only those do so who may
     * write, and only while a majority of its nodes takes writes.
     */
    private void askStore() {
      String beside = config.metadataPrefixes().get(0) + Target.Kv.HISTORY_SUFFIX;
      KvKey nothing = KvKey.ofMajor(beside, "preflight-" + UUID.randomUUID());
      try (KvStore store = opener.get()) {
        store.get(nothing);
        store.delete(nothing);
      }
    }
  }
}
