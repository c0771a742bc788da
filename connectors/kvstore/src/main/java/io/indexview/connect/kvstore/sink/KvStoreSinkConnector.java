package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.version.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
    new KvStoreSinkConfig(props).problems().throwIfAny();
    properties = Map.copyOf(props);
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

  /** Also tries the store out, in a bounded time, once each key is right in itself. */
  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    Config validated = KvStoreSinkConfig.validate(connectorConfigs);
    if (validated.configValues().stream().allMatch(value -> value.errorMessages().isEmpty())) {
      KvStoreSinkConfig config = new KvStoreSinkConfig(connectorConfigs);
      new SinkPreflight(config, config.store()::openWriter).ask().addTo(validated);
    }
    return validated;
  }

  /** Any offsets will do: rows are written and removed by key, as often as they come. */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<TopicPartition, Long> offsets) {
    return true;
  }
}
