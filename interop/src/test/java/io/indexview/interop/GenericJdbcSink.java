package io.indexview.interop;

import io.indexview.connect.common.sink.FakeSinkContext;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.runtime.isolation.LoaderSwap;
import org.apache.kafka.connect.runtime.isolation.Plugins;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** A task of Debezium's JDBC sink, loaded from a plugin path as a worker loads it. */
final class GenericJdbcSink implements AutoCloseable {
  private static final Path PLUGINS = Path.of("target", "plugins").toAbsolutePath();
  private static final String CONNECTOR = "io.debezium.connector.jdbc.JdbcSinkConnector";

  private final Plugins plugins =
      new Plugins(Map.of("plugin.path", PLUGINS.toString(), "plugin.discovery", "service_load"));
  private final Connector connector = plugins.newConnector(CONNECTOR);
  private final ClassLoader loader = connector.getClass().getClassLoader();
  private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
  private final SinkTask task;

  GenericJdbcSink(Map<String, String> config, Set<TopicPartition> assigned) {
    assigned.forEach(partition -> offsets.put(partition, new OffsetAndMetadata(0)));
    try (LoaderSwap swap = plugins.withClassLoader(loader)) {
      task = (SinkTask) plugins.newTask(connector.taskClass().asSubclass(SinkTask.class));
      task.initialize(new FakeSinkContext(false));
      task.start(config);
      task.open(assigned);
    }
  }

  /** Hands records over and has them written, as a worker does before it commits offsets. */
  void write(Collection<SinkRecord> records) {
    try (LoaderSwap swap = plugins.withClassLoader(loader)) {
      task.put(records);
      records.forEach(
          record ->
              offsets.put(
                  new TopicPartition(record.topic(), record.kafkaPartition()),
                  new OffsetAndMetadata(record.kafkaOffset() + 1)));
      task.preCommit(offsets);
      // It keeps a failure for the next call.
      task.put(Set.of());
    }
  }

  @Override
  public void close() {
    try (LoaderSwap swap = plugins.withClassLoader(loader)) {
      task.stop();
    }
  }
}
