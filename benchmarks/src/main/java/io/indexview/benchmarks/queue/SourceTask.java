package io.indexview.benchmarks.queue;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.s3.S3SourceTask;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/**
 * A task of the S3 source. What it publishes is serialized and acknowledged at once, as a worker
 * does whose broker costs nothing.
 */
final class SourceTask {
  private static final long POLL_NANOS = 1_000_000;

  private final QueueAccess access;

  SourceTask(QueueAccess access) {
    this.access = access;
  }

  /**
   * Takes so many messages, and returns when they are deleted.
   *
   * @return stops the task, which waits for requests that are open still
   */
  AutoCloseable take(int messages) throws InterruptedException {
    BenchSourceContext context = new BenchSourceContext();
    S3SourceTask task = new S3SourceTask();
    AvroConverter converter = new AvroConverter();
    converter.configure(QueueAccess.REGISTRY, false);
    task.initialize(context);
    task.start(access.task());
    int published = 0;
    while (published < messages) {
      List<SourceRecord> records = task.poll();
      if (records != null) {
        records.forEach(record -> publish(task, converter, record));
        published += records.size();
      }
    }
    while (context.metric("messages-in-flight") > 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    return () -> {
      task.stop();
      converter.close();
    };
  }

  private static void publish(S3SourceTask task, AvroConverter converter, SourceRecord record) {
    byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
    byte[] value = converter.fromConnectData(record.topic(), record.valueSchema(), record.value());
    task.commitRecord(
        record,
        new RecordMetadata(
            new TopicPartition(record.topic(), 0), 0, 0, 0, key.length, value.length));
  }

  /** What a worker is to a task that keeps no offsets. */
  private static final class BenchSourceContext implements SourceTaskContext, OffsetStorageReader {
    private final Metrics metrics = new Metrics();

    /** What the task tells of itself. */
    double metric(String name) {
      return metrics.metrics().entrySet().stream()
          .filter(entry -> entry.getKey().name().equals(name))
          .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
          .findFirst()
          .orElseThrow();
    }

    @Override
    public Map<String, String> configs() {
      return Map.of();
    }

    @Override
    public OffsetStorageReader offsetStorageReader() {
      return this;
    }

    @Override
    public PluginMetrics pluginMetrics() {
      return new PluginMetricsImpl(metrics, Map.of());
    }

    @Override
    public <T> Map<String, Object> offset(Map<String, T> partition) {
      return null;
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(
        Collection<Map<String, T>> partitions) {
      return Map.of();
    }
  }
}
