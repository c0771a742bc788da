package io.indexview.streams.replay;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Opens each partition with a consumer of its own, on a thread of its own. */
public final class KafkaChangeLogs implements ChangeLogs {
  private static final int FETCH_BYTES = 4 << 20;

  private final Map<String, Object> settings;
  private final String group;

  /**
   * @param settings of the cluster: bootstrap servers, security
   * @param group of the application; only asked how far it is, never joined
   */
  public KafkaChangeLogs(Map<String, Object> settings, String group) {
    this.settings = new HashMap<>(settings);
    this.group = group;
  }

  @Override
  public CompletableFuture<ChangeLog> open(TopicPartition partition) {
    return CompletableFuture.supplyAsync(
        () -> KafkaChangeLog.open(consumer(partition), partition), KafkaChangeLogs::start);
  }

  private static void start(Runnable opening) {
    Thread thread = new Thread(opening, "indexview-replay-open");
    thread.setDaemon(true);
    thread.start();
  }

  private Consumer<byte[], byte[]> consumer(TopicPartition partition) {
    Map<String, Object> own = new HashMap<>(settings);
    own.put(ConsumerConfig.CLIENT_ID_CONFIG, group + "-replay-" + partition);
    own.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    own.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
    return new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
