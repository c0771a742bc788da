package io.indexview.connect.dynamodb;

import io.indexview.connect.common.version.PluginVersion;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Shell of {@link DynamoDbSinkSession}. */
public final class DynamoDbSinkTask extends SinkTask {
  private final Function<DynamoDbSinkConfig, ItemStore> stores;
  private DynamoDbSinkSession session;

  public DynamoDbSinkTask() {
    this(config -> DynamoDbItemStore.open(config.store()));
  }

  DynamoDbSinkTask(Function<DynamoDbSinkConfig, ItemStore> stores) {
    this.stores = stores;
  }

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    DynamoDbSinkConfig config = new DynamoDbSinkConfig(props);
    session = new DynamoDbSinkSession(config, stores.apply(config), context, Clock.systemUTC());
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    session.put(records);
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(
      Map<TopicPartition, OffsetAndMetadata> currentOffsets) {
    return session.committable(currentOffsets);
  }

  @Override
  public void close(Collection<TopicPartition> partitions) {
    if (session != null) {
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
