package io.indexview.connect.common.sink;

import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.schemas.time.Time;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Shell of a {@link Session}, which gets the records again that it could not take. */
public abstract class SessionSinkTask extends SinkTask {
  private Session session;
  private Redelivery redelivery;

  /** A task at work, from its start to its end. For one thread. */
  public interface Session extends AutoCloseable {
    /**
     * Takes records.
     *
     * @throws io.indexview.connect.common.errors.TryAgainException if the same ones are to come
     *     again
     */
    void put(Collection<SinkRecord> records);

    /** What may be committed, of what was consumed. Never throws. */
    Map<TopicPartition, OffsetAndMetadata> committable(
        Map<TopicPartition, OffsetAndMetadata> consumed);

    /** Drops partitions that other tasks have now: nothing of theirs may be written any more. */
    void revoke(Collection<TopicPartition> partitions);

    @Override
    void close();
  }

  /**
   * Opens the session; what cannot be opened leaves nothing open.
   *
   * @param properties of the task
   */
  protected abstract Session open(Map<String, String> properties);

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    PluginFaults.explaining(
        () -> {
          session = open(properties);
          redelivery = new Redelivery(context, Time.SYSTEM, session::put);
        });
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
