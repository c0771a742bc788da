package io.indexview.benchmarks.app;

import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;

/**
 * What the clients alone allow: threads that consume, keep the last event of each key in a map, and
 * commit a transaction each 100 ms. The state is gone with the process.
 */
final class RawClients implements AutoCloseable {
  static final String THREAD = "raw-clients-";

  private static final Duration WAIT = Duration.ofMillis(10);
  private static final long COMMIT_NANOS = 100_000_000;

  private final Entrant entrant;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CountDownLatch assigned = new CountDownLatch(Entrant.THREADS);
  private final List<Thread> threads = new ArrayList<>();

  private RawClients(Entrant entrant) {
    this.entrant = entrant;
  }

  /** Returns when all partitions are assigned. */
  static RawClients start(Entrant entrant) throws InterruptedException {
    RawClients clients = new RawClients(entrant);
    SchemaRegistry registry = PlainStreams.registry(entrant);
    for (int i = 0; i < Entrant.THREADS; i++) {
      int number = i;
      Thread thread = new Thread(() -> clients.run(number, registry), THREAD + i);
      thread.setUncaughtExceptionHandler(
          (failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
          });
      clients.threads.add(thread);
      thread.start();
    }
    clients.assigned.await();
    return clients;
  }

  private void run(int number, SchemaRegistry registry) {
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    entrant.bootstrap(),
                    ConsumerConfig.GROUP_ID_CONFIG,
                    entrant.id(),
                    ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                    "read_committed",
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    "earliest",
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    false,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    2_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    entrant.bootstrap(),
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    entrant.id() + "-" + number,
                    ProducerConfig.COMPRESSION_TYPE_CONFIG,
                    "lz4",
                    ProducerConfig.BATCH_SIZE_CONFIG,
                    64 << 10,
                    ProducerConfig.BUFFER_MEMORY_CONFIG,
                    64L << 20,
                    ProducerConfig.LINGER_MS_CONFIG,
                    20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      producer.initTransactions();
      consumer.subscribe(List.of(entrant.changes()));
      boolean wasAssigned = false;
      Transactions transactions =
          new Transactions(consumer, producer, new SliceRows(entrant, registry), entrant);
      while (!stopping.get()) {
        transactions.run(consumer.poll(WAIT));
        if (!wasAssigned && consumer.assignment().size() == Entrant.PARTITIONS / Entrant.THREADS) {
          wasAssigned = true;
          assigned.countDown();
        }
      }
    }
  }

  /** Transactions of one thread. */
  private static final class Transactions {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RowMaker maker;
    private final List<String> topics;
    private final Map<Bytes, byte[]> lastEvents = new HashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    private long since;

    Transactions(
        KafkaConsumer<byte[], byte[]> consumer,
        KafkaProducer<byte[], byte[]> producer,
        RowMaker maker,
        Entrant entrant) {
      this.consumer = consumer;
      this.producer = producer;
      this.maker = maker;
      this.topics = entrant.generations().stream().map(entrant::viewTopic).toList();
    }

    void run(ConsumerRecords<byte[], byte[]> events) {
      if (!events.isEmpty() && offsets.isEmpty()) {
        producer.beginTransaction();
        since = System.nanoTime();
      }
      events.forEach(this::process);
      offsets.putAll(events.nextOffsets());
      if (!offsets.isEmpty() && System.nanoTime() - since >= COMMIT_NANOS) {
        producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
        producer.commitTransaction();
        offsets.clear();
      }
    }

    private void process(ConsumerRecord<byte[], byte[]> event) {
      Bytes key = Bytes.wrap(event.key());
      byte[] before =
          event.value() == null ? lastEvents.remove(key) : lastEvents.put(key, event.value());
      maker.derive(
          event.key(),
          before,
          event.value(),
          event.offset(),
          (view, rowKey, rowValue) ->
              producer.send(new ProducerRecord<>(topics.get(view), rowKey, rowValue)));
    }
  }

  @Override
  public void close() throws InterruptedException {
    stopping.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
