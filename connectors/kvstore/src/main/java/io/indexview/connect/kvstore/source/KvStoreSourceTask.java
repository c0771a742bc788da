package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.SourceRequests;
import io.indexview.connect.common.version.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.connect.kvstore.source.log.ChangeLog;
import io.indexview.connect.kvstore.source.log.KafkaChangeLog;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
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
    KvStoreSourceConfig config = new KvStoreSourceConfig(properties);
    session =
        new KvStoreSourceSession(
            config,
            List.of(properties.get(RECORD_SETS_CONFIG).split(",")),
            new RealPorts(config),
            partition -> context.offsetStorageReader().offset(partition),
            Clock.systemUTC());
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

  private record RealPorts(KvStoreSourceConfig config) implements SourcePorts {
    @Override
    public KvStore openStore() {
      return config.store().open();
    }

    @Override
    public ChangeLog openLog(RecordSetConfig recordSet) {
      return new KafkaChangeLog(
          recordSet.topic(),
          "indexview-index-" + config.source().name() + "-" + recordSet.name(),
          config.kafka().settings());
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(config.originals());
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return SourceRequests.watch(config.kafka().settings(), config.source().topics(), registry);
    }
  }
}
