package io.indexview.streams.topology;

import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.task.TrimmedEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * The clients of Kafka Streams. Its consumers go on behind a gap in silence; only here it shows
 * that there was one. Gaps between offsets do not tell: transactions and compaction leave some,
 * too. Its producers tell what a topic refuses; in what a thread fails with, what follows from that
 * may hide it.
 */
public final class StreamsClients implements KafkaClientSupplier {
  private final TrimmedEvents trimmed;
  private final RefusingTopics refusing;

  public StreamsClients(TrimmedEvents trimmed, RefusingTopics refusing) {
    this.trimmed = trimmed;
    this.refusing = refusing;
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(config);
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return new RowProducer(config, refusing);
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return new ChangeConsumer(config, trimmed);
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return getRestoreConsumer(config);
  }

  private static final class ChangeConsumer extends KafkaConsumer<byte[], byte[]> {
    private static final Duration ASKING = Duration.ofSeconds(5);

    private final TrimmedEvents trimmed;

    ChangeConsumer(Map<String, Object> config, TrimmedEvents trimmed) {
      super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      this.trimmed = trimmed;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      try {
        return super.poll(timeout);
      } catch (LogTruncationException e) {
        // Brokers lost what was read already.
        throw e;
      } catch (OffsetOutOfRangeException e) {
        Map<?, Long> begins = beginningOffsets(e.partitions(), ASKING);
        e.offsetOutOfRangePartitions()
            .forEach(
                (partition, next) -> {
                  // Of a topic that was created anew the end is before it.
                  if (next < begins.get(partition)) {
                    trimmed.found(partition, next, begins.get(partition));
                  }
                });
        throw e;
      }
    }
  }

  private static final class RowProducer extends KafkaProducer<byte[], byte[]> {
    private final RefusingTopics refusing;

    RowProducer(Map<String, Object> config, RefusingTopics refusing) {
      super(config, new ByteArraySerializer(), new ByteArraySerializer());
      this.refusing = refusing;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> row, Callback callback) {
      return super.send(
          row,
          (metadata, failure) -> {
            if (failure != null) {
              refusing.note(row.topic(), failure);
            }
            callback.onCompletion(metadata, failure);
          });
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      try {
        return super.partitionsFor(topic);
      } catch (TopicAuthorizationException e) {
        refusing.note(topic, e);
        throw e;
      }
    }
  }
}
