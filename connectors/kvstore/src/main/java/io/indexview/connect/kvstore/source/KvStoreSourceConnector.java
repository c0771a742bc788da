package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.util.ConnectorUtils;

/** Publishes the changes of a KV store's records to primary-change topics. */
public final class KvStoreSourceConnector extends SourceConnector {
  private Map<String, String> properties;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    PluginFaults.explaining(
        () -> {
          new KvStoreSourceConfig(props).problems().throwIfAny();
          properties = Map.copyOf(props);
        });
  }

  @Override
  public Class<? extends Task> taskClass() {
    return KvStoreSourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    List<String> recordSets = new KvStoreSourceConfig(properties).recordSets().names();
    int tasks = Math.min(maxTasks, recordSets.size());
    List<Map<String, String>> configs = new ArrayList<>();
    for (List<String> own : ConnectorUtils.groupPartitions(recordSets, tasks)) {
      Map<String, String> config = new HashMap<>(properties);
      config.put(KvStoreSourceTask.RECORD_SETS_CONFIG, String.join(",", own));
      configs.add(config);
    }
    return configs;
  }

  @Override
  public void stop() {}

  @Override
  public ConfigDef config() {
    return KvStoreSourceConfig.definition(Map.of());
  }

  /** Validates the keys, and then tries the configuration out, in a bounded time. */
  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    return PluginFaults.explained(() -> validated(connectorConfigs));
  }

  private Config validated(Map<String, String> connectorConfigs) {
    return ConfigProblems.addTo(
        KvStoreSourceConfig.validate(connectorConfigs),
        () -> {
          KvStoreSourceConfig config = new KvStoreSourceConfig(connectorConfigs);
          return new SourcePreflight(config, new KvStoreSourcePorts(config)).ask();
        });
  }

  /**
   * What was published is read back from the committed part of the topic before each scan, so an
   * aborted transaction is published again and a committed one is not.
   */
  @Override
  public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> connectorConfig) {
    return ExactlyOnceSupport.SUPPORTED;
  }

  /** A scan may last longer than a transaction may, and any part of it can be committed alone. */
  @Override
  public ConnectorTransactionBoundaries canDefineTransactionBoundaries(
      Map<String, String> connectorConfig) {
    return ConnectorTransactionBoundaries.UNSUPPORTED;
  }

  /** Removing the offset of a record set makes its next scan publish every record again. */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<Map<String, ?>, Map<String, ?>> offsets) {
    new OffsetChanges(new KvStoreSourceConfig(connectorConfig)).validate(offsets);
    return true;
  }
}
