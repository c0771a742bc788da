package io.indexview.connect.s3;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.connect.s3.SourcePorts.AwsSourcePorts;
import io.indexview.connect.s3.listing.ListingOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/** Turns bucket notifications from an SQS queue into change events of file records. */
public final class S3SourceConnector extends SourceConnector {
  private Map<String, String> properties;
  private S3SourceConfig config;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public ConfigDef config() {
    return S3SourceConfig.definition();
  }

  /** Validates the keys, and then tries the configuration out, in a bounded time. */
  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    return PluginFaults.explained(() -> validated(connectorConfigs));
  }

  private Config validated(Map<String, String> connectorConfigs) {
    return ConfigProblems.addTo(
        super.validate(connectorConfigs), () -> problems(new S3SourceConfig(connectorConfigs)));
  }

  private static ConfigProblems problems(S3SourceConfig config) {
    ConfigProblems problems = config.problems();
    return problems.isEmpty()
        ? new SourcePreflight(config, new AwsSourcePorts(config)).ask()
        : problems;
  }

  @Override
  public void start(Map<String, String> props) {
    PluginFaults.explaining(
        () -> {
          config = new S3SourceConfig(props);
          config.problems().throwIfAny();
          properties = Map.copyOf(props);
        });
  }

  @Override
  public Class<? extends Task> taskClass() {
    return S3SourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    List<Map<String, String>> tasks = new ArrayList<>(maxTasks);
    for (int task = 0; task < maxTasks; task++) {
      tasks.add(S3SourceTaskConfig.taskProperties(properties, config.buckets(), task, maxTasks));
    }
    return tasks;
  }

  /** A queue hands messages out again; the streams app tells repetitions by their sequencers. */
  @Override
  public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> connectorConfig) {
    return ExactlyOnceSupport.UNSUPPORTED;
  }

  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<Map<String, ?>, Map<String, ?>> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          try {
            ListingOffset.validate(partition, offset);
          } catch (IllegalArgumentException e) {
            throw new ConnectException(e.getMessage(), e);
          }
        });
    return true;
  }

  @Override
  public void stop() {
    config = null;
    properties = null;
  }
}
