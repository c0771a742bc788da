package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.Redelivery;
import io.indexview.connect.common.version.PluginFaults;
import io.indexview.connect.common.version.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Shell of {@link KvStoreSinkSession}. */
public final class KvStoreSinkTask extends SinkTask {
  private KvStoreSinkSession session;
  private Redelivery redelivery;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    PluginFaults.explaining(() -> open(properties));
  }

  private void open(Map<String, String> properties) {
    KvStoreSinkConfig config = new KvStoreSinkConfig(properties);
    session =
        new KvStoreSinkSession(
            context,
            config.store()::openWriter,
            new KvStoreSinkSession.Settings(
                config.mode(),
                config.concurrency(),
                config.maxValueBytes(),
                config.writtenBytes(),
                new TombstoneRemovals.Settings(
                    config.tombstoneRetention(),
                    config.tombstoneRemovalInterval(),
                    config.tombstoneRemovalRate()),
                config.retry()::backoff,
                config.topics().viewStates(),
                config.metadataPrefixes()),
            Clock.systemUTC());
    redelivery = new Redelivery(context, Clock.systemUTC(), session::put);
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    redelivery.put(records);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(
      Map<TopicPartition, OffsetAndMetadata> currentOffsets) {
    return redelivery.committable(session.committable(currentOffsets));
  }

  @Override
  public void close(Collection<TopicPartition> partitions) {
    if (session != null) {
      redelivery.forget(partitions);
      session.revoke(partitions);
    }
  }

  @Override
  public void stop() {
    if (session != null) {
      session.close();
    }
  }
}
