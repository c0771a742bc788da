package io.indexview.connect.dynamodb;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Serves views from DynamoDB: each generation of a view in a table of its own. */
public final class DynamoDbSinkConnector extends SinkConnector {
  private final Function<DynamoDbSinkConfig, ItemStore> stores;
  private Map<String, String> properties;

  public DynamoDbSinkConnector() {
    this(config -> DynamoDbItemStore.open(config.store()));
  }

  DynamoDbSinkConnector(Function<DynamoDbSinkConfig, ItemStore> stores) {
    this.stores = stores;
  }

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
    return PluginFaults.explained(() -> validated(connectorConfigs));
  }

  private Config validated(Map<String, String> connectorConfigs) {
    return ConfigProblems.addTo(
        super.validate(connectorConfigs), () -> problems(new DynamoDbSinkConfig(connectorConfigs)));
  }

  private ConfigProblems problems(DynamoDbSinkConfig config) {
    ConfigProblems problems = config.problems();
    if (!problems.isEmpty() || config.autoCreate()) {
      return problems;
    }
    try (ItemStore store = stores.apply(config)) {
      return TablePreflight.problems(config, store);
    }
  }

  @Override
  public void start(Map<String, String> props) {
    PluginFaults.explaining(
        () -> {
          new DynamoDbSinkConfig(props).problems().throwIfAny();
          properties = Map.copyOf(props);
        });
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
