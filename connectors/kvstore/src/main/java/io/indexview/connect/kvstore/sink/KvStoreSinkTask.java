package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.version.PluginVersion;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Writes the rows of some partitions of view topics. */
public final class KvStoreSinkTask extends SinkTask {
  private KvStoreSinkSession session;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    KvStoreSinkConfig config = new KvStoreSinkConfig(properties);
    session =
        new KvStoreSinkSession(
            context,
            config.store()::open,
            config.concurrency(),
            config.retry().backoff(),
            Clock.systemUTC());
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    session.put(records);
  }

  @Override
  public void stop() {
    if (session != null) {
      session.close();
    }
  }
}
