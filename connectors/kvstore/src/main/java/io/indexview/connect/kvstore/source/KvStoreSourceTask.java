package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.connect.common.worker.WorkerMetrics;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.schemas.time.Time;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Publishes the changes of some of the connector's record sets. */
public final class KvStoreSourceTask extends SourceTask {
  /** The record sets of a task; not for users. */
  static final String RECORD_SETS_CONFIG = "task.record.sets";

  private volatile KvStoreSourceSession session;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    PluginFaults.explaining(() -> open(properties));
  }

  private void open(Map<String, String> properties) {
    KvStoreSourceConfig config = new KvStoreSourceConfig(properties);
    session =
        new KvStoreSourceSession(
            config,
            List.of(properties.get(RECORD_SETS_CONFIG).split(",")),
            new KvStoreSourcePorts(config),
            partition -> context.offsetStorageReader().offset(partition),
            Time.SYSTEM);
    Optional<PluginMetrics> metrics = WorkerMetrics.of(context);
    if (metrics.isPresent()) {
      session.addMetrics(metrics.get());
    }
  }

  @Override
  public List<SourceRecord> poll() throws InterruptedException {
    return session.poll();
  }

  @Override
  public void commitRecord(SourceRecord record, RecordMetadata metadata) {
    session.acknowledged(record, metadata);
  }

  @Override
  public void stop() {
    if (session != null) {
      session.close();
    }
  }
}
