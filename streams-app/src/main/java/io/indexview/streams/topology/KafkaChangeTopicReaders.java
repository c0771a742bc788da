package io.indexview.streams.topology;

import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.task.ReplayReader;
import io.indexview.streams.task.TaskServices.ChangeTopicReaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens each partition with a consumer of its own, on a thread of its own. */
public final class KafkaChangeTopicReaders implements ChangeTopicReaders {
  private static final Logger LOGGER = LoggerFactory.getLogger(KafkaChangeTopicReaders.class);
  private static final int FETCH_BYTES = 4 << 20;

  private final Map<String, Object> settings;
  private final String group;
  private final Function<TopicPartition, Set<Long>> steppedOver;

  /**
   * @param settings of the cluster, and what the ids of the consumers begin with
   * @param group of the application; only asked how far it is, never joined
   * @param steppedOver offsets of events that must not be read
   */
  public KafkaChangeTopicReaders(
      Map<String, Object> settings, String group, Function<TopicPartition, Set<Long>> steppedOver) {
    this.settings = new HashMap<>(settings);
    this.group = group;
    this.steppedOver = steppedOver;
  }

  @Override
  public CompletableFuture<ReplayReader> open(TopicPartition partition) {
    return CompletableFuture.supplyAsync(
        () -> Reader.open(consumer(partition), partition, steppedOver.apply(partition)),
        KafkaChangeTopicReaders::start);
  }

  private static void start(Runnable opening) {
    Thread thread = new Thread(opening, "indexview-replay-open");
    thread.setDaemon(true);
    thread.start();
  }

  private Consumer<byte[], byte[]> consumer(TopicPartition partition) {
    return new KafkaConsumer<>(
        settings(partition), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  Map<String, Object> settings(TopicPartition partition) {
    Map<String, Object> own = new HashMap<>(settings);
    own.merge(ConsumerConfig.CLIENT_ID_CONFIG, partition, "%s-%s"::formatted);
    own.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    own.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
    return own;
  }

  /** A partition as a consumer reads it that belongs to it alone. */
  static final class Reader implements ReplayReader {
    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final Set<Long> steppedOver;
    private final Bounds bounds;
    private long position;

    private Reader(
        Consumer<byte[], byte[]> consumer,
        TopicPartition partition,
        Set<Long> steppedOver,
        Bounds bounds) {
      this.consumer = consumer;
      this.partition = partition;
      this.steppedOver = steppedOver;
      this.bounds = bounds;
    }

    /**
     * Waits for the answers of the cluster.
     *
     * @param consumer of the application's group, reads committed records only, fails if an offset
     *     is gone; closed with this, or if this cannot be opened
     * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
     */
    static Reader open(
        Consumer<byte[], byte[]> consumer, TopicPartition partition, Set<Long> steppedOver) {
      try {
        consumer.assign(List.of(partition));
        return new Reader(consumer, partition, steppedOver, bounds(consumer, partition));
      } catch (RuntimeException e) {
        close(consumer);
        throw e;
      }
    }

    private static Bounds bounds(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
      Set<TopicPartition> one = Set.of(partition);
      OffsetAndMetadata committed = consumer.committed(one).get(partition);
      return new Bounds(
          consumer.beginningOffsets(one).get(partition),
          committed == null ? 0 : committed.offset(),
          consumer.endOffsets(one).get(partition));
    }

    @Override
    public Bounds bounds() {
      return bounds;
    }

    @Override
    public void seek(long offset) {
      consumer.seek(partition, offset);
      position = offset;
    }

    @Override
    public List<ChangeRecord> poll() throws RecordsGoneException {
      List<ChangeRecord> records = new ArrayList<>();
      try {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ZERO)) {
          if (steppedOver.contains(message.offset())) {
            throw new RecordsGoneException(
                "the event at offset %d is stepped over (skip.events)".formatted(message.offset()),
                null);
          }
          records.add(
              new ChangeRecord(
                  message.topic(),
                  message.partition(),
                  message.offset(),
                  message.timestamp(),
                  message.key(),
                  message.value()));
        }
      } catch (InvalidOffsetException e) {
        throw new RecordsGoneException(e.getMessage(), e);
      }
      return records;
    }

    @Override
    public long position() {
      try {
        position = consumer.position(partition, Duration.ZERO);
      } catch (TimeoutException e) {
        // It is being validated with a new leader of the partition, by the polls to come.
        LOGGER.debug("The position in {} is not known now", partition, e);
      }
      return position;
    }

    @Override
    public void close() {
      close(consumer);
    }

    /** Closes without a wait: the consumer is in no group that it would have to leave. */
    private static void close(Consumer<byte[], byte[]> consumer) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }
}
