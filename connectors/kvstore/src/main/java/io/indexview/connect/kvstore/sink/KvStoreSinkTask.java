package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.SessionSinkTask;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.Map;

/** Shell of {@link KvStoreSinkSession}. */
public final class KvStoreSinkTask extends SessionSinkTask {
  /** Time of a request from which it counts as slow: some times what an unhindered one takes. */
  private static final Duration SLOW_REQUEST = Duration.ofMillis(100);

  @Override
  protected Session open(Map<String, String> properties) {
    KvStoreSinkConfig config = new KvStoreSinkConfig(properties);
    return new KvStoreSinkSession(
        context,
        config.store()::openWriter,
        new KvStoreSinkSession.Settings(
            config.mode(),
            config.concurrency(),
            KvRowWriter.MIN_IN_BULK,
            SLOW_REQUEST,
            config.maxValueBytes(),
            config.writtenBytes(),
            new TombstoneRemovals.Settings(
                config.tombstoneRetention(),
                config.tombstoneRemovalInterval(),
                config.tombstoneRemovalRate()),
            config.retry()::backoff,
            config.topics().viewStates(),
            config.metadataPrefixes()),
        Time.SYSTEM);
  }
}
