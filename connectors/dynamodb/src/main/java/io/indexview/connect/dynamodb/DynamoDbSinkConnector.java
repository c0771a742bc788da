package io.indexview.connect.dynamodb;

import io.indexview.connect.common.version.PluginVersion;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Serves views from DynamoDB: each generation of a view in a table of its own. */
public final class DynamoDbSinkConnector extends SinkConnector {
  private Map<String, String> properties;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public ConfigDef config() {
    return DynamoDbSinkConfig.definition();
  }

  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    Config validated = super.validate(connectorConfigs);
    if (validated.configValues().stream().allMatch(value -> value.errorMessages().isEmpty())) {
      new DynamoDbSinkConfig(connectorConfigs).problems().addTo(validated);
    }
    return validated;
  }

  @Override
  public void start(Map<String, String> props) {
    new DynamoDbSinkConfig(props).problems().throwIfAny();
    properties = Map.copyOf(props);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return DynamoDbSinkTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    return Collections.nCopies(maxTasks, properties);
  }

  /** Rows are written by their keys and revisions: any offset is a good one to start from. */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<TopicPartition, Long> offsets) {
    return true;
  }

  @Override
  public void stop() {
    properties = null;
  }
}
