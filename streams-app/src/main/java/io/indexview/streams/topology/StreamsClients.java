package io.indexview.streams.topology;

import io.indexview.streams.task.TrimmedEvents;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * The clients of Kafka Streams. It goes on behind a gap in silence; only here it shows that there
 * was one. Gaps between offsets do not tell: transactions and compaction leave some, too.
 */
public final class StreamsClients implements KafkaClientSupplier {
  private final TrimmedEvents trimmed;

  public StreamsClients(TrimmedEvents trimmed) {
    this.trimmed = trimmed;
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(config);
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
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
}
