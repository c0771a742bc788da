package io.indexview.demo.load;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * How long after its write each row of a view's topic can be read there, committed. The rows
 * include {@code stamp}, the moment of the write.
 */
final class Latencies implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(5);

  private final String topic;
  private final Consumer<byte[], byte[]> consumer;
  private final AvroDeserializer deserializer;
  private final CompletableFuture<Void> done;
  private List<Long> nanos = new ArrayList<>();
  private volatile boolean closed;

  /**
   * @param consumer in no group, reads committed records only; closed with this
   */
  Latencies(String topic, Consumer<byte[], byte[]> consumer, SchemaRegistry registry) {
    this.topic = topic;
    this.consumer = consumer;
    this.deserializer = new AvroDeserializer(registry);
    this.done = CompletableFuture.runAsync(this::follow);
  }

  private void follow() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    try (consumer) {
      while (!closed) {
        consumer.poll(POLL).forEach(this::take);
      }
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> message) {
    GenericRecord row = deserializer.deserialize(topic, message.value());
    if (row != null) {
      long latency = System.nanoTime() - (Long) row.get("stamp");
      synchronized (this) {
        nanos.add(latency);
      }
    }
  }

  /** What came since the last call, as text: how many, and percentiles in milliseconds. */
  synchronized String cut() {
    List<Long> sorted = nanos;
    nanos = new ArrayList<>();
    Collections.sort(sorted);
    return sorted.isEmpty()
        ? "no rows"
        : "rows=%d p50=%.1f ms p99=%.1f ms max=%.1f ms"
            .formatted(sorted.size(), ms(sorted, 0.5), ms(sorted, 0.99), ms(sorted, 1));
  }

  private static double ms(List<Long> sorted, double share) {
    return sorted.get((int) Math.min(sorted.size() - 1L, (long) (sorted.size() * share))) / 1e6;
  }

  @Override
  public void close() {
    closed = true;
    done.join();
  }
}
