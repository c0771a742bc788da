package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.version.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes the changes of some of the connector's record sets. */
public final class KvStoreSourceTask extends SourceTask {
  private static final Logger LOGGER = LoggerFactory.getLogger(KvStoreSourceTask.class);

  /** The record sets of a task; not for users. */
  static final String RECORD_SETS_CONFIG = "task.record.sets";

  private volatile KvStoreSourceSession session;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    KvStoreSourceConfig config = new KvStoreSourceConfig(properties);
    session =
        new KvStoreSourceSession(
            config,
            List.of(properties.get(RECORD_SETS_CONFIG).split(",")),
            new KvStoreSourcePorts(config),
            partition -> context.offsetStorageReader().offset(partition),
            Clock.systemUTC());
    metrics().ifPresent(session::addMetrics);
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

  /** Empty on workers before Connect 4.1, which have no metrics of plugins. */
  private Optional<PluginMetrics> metrics() {
    try {
      return Optional.of(context.pluginMetrics());
    } catch (NoSuchMethodError e) {
      LOGGER.info("This worker has no metrics of plugins; Connect has them since 4.1");
      return Optional.empty();
    }
  }
}
