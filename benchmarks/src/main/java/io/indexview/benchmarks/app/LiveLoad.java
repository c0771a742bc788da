package io.indexview.benchmarks.app;

import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.data.People;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Updates of people at a steady rate, and how long after its time each is in the first view for who
 * reads committed rows. An event that is sent late counts from when it should have been sent, so
 * that a halt of anybody shows in all events that should have come meanwhile. Values are flat.
 */
final class LiveLoad implements AutoCloseable {
  private static final int SEED = 16;
  private static final int HEADER = 5;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration LAST = Duration.ofMinutes(2);
  private static final double SECOND = 1e9;

  /**
   * The field that says in rows when the event was due. A load that comes after another one must
   * not say the same: what changes nothing has no row.
   */
  static final String DUE = "cost";

  private final Entrant entrant;
  private final Sending sending;
  private final int keys;
  private final double nanosPerEvent;
  private final ViewGeneration view;
  private final GenericDatumReader<GenericRecord> rowReader;
  private final Thread sender = new Thread(this::send, "live-load-sender");
  private final Thread reader = new Thread(this::read, "live-load-reader");
  private final CountDownLatch reads = new CountDownLatch(1);

  /** When events were due that are in no row yet, by person; guarded by itself. */
  private final Map<Integer, ArrayDeque<Long>> open = new HashMap<>();

  private volatile Latencies latencies = new Latencies();
  private volatile boolean isSending = true;
  private volatile boolean isReading = true;
  private volatile Throwable failure;
  private volatile long start;

  /** Hears of each event before it is sent. */
  @FunctionalInterface
  interface Sending {
    /**
     * Called by the thread that sends.
     *
     * @param changed the person thereafter
     * @param due when it should be sent, like {@link System#nanoTime}
     */
    void sends(int person, GenericRecord changed, long due);
  }

  private LiveLoad(Entrant entrant, int keys, int rate, Sending sending) {
    this.entrant = entrant;
    this.sending = sending;
    this.keys = keys;
    this.nanosPerEvent = SECOND / rate;
    this.view = entrant.generations().get(0);
    this.rowReader = new GenericDatumReader<>(RowSchemas.of(view).value());
  }

  /**
   * Begins to send.
   *
   * @param keys people that there are, all of whom have rows
   * @param rate events a second
   */
  static LiveLoad start(Entrant entrant, int keys, int rate) throws InterruptedException {
    return start(entrant, keys, rate, (person, changed, due) -> {});
  }

  /** Starts a load with a listener for its events. */
  static LiveLoad start(Entrant entrant, int keys, int rate, Sending sending)
      throws InterruptedException {
    LiveLoad load = new LiveLoad(entrant, keys, rate, sending);
    load.reader.start();
    load.reads.await();
    load.start = System.nanoTime();
    load.sender.start();
    return load;
  }

  private void send() {
    AvroSerializer<GenericRecord> serializer =
        new AvroSerializer<>(new InMemorySchemaRegistry(), false);
    Random random = new Random(SEED);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                entrant.bootstrap(),
                ProducerConfig.LINGER_MS_CONFIG,
                0,
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                "lz4"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (long number = 0; isSending; number++) {
        int key = random.nextInt(keys);
        long due = start + (long) (number * nanosPerEvent);
        GenericRecord person = People.person(key, (int) number);
        person.put(DUE, due);
        byte[] value = serializer.serialize(entrant.changes(), person);
        for (long wait = due - System.nanoTime();
            wait > 0 && isSending;
            wait = due - System.nanoTime()) {
          LockSupport.parkNanos(wait);
        }
        sending.sends(key, person, due);
        synchronized (open) {
          open.computeIfAbsent(key, unused -> new ArrayDeque<>()).add(due);
        }
        producer.send(
            new ProducerRecord<>(
                entrant.changes(), People.key(key).getBytes(StandardCharsets.UTF_8), value),
            (metadata, failed) -> {
              if (failed != null) {
                failure = failed;
              }
            });
      }
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void read() {
    try (KafkaConsumer<byte[], byte[]> consumer = entrant.committedRows(List.of(view))) {
      Set<TopicPartition> partitions = consumer.assignment();
      consumer.seekToEnd(partitions);
      partitions.forEach(consumer::position);
      reads.countDown();
      while (isReading) {
        for (ConsumerRecord<byte[], byte[]> row : consumer.poll(POLL)) {
          if (row.key() != null && row.key().length > HEADER && row.value() != null) {
            seen(row.value(), System.nanoTime());
          }
        }
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
      reads.countDown();
    }
  }

  private void seen(byte[] value, long now) throws IOException {
    GenericRecord row =
        rowReader.read(
            null, DecoderFactory.get().binaryDecoder(value, HEADER, value.length - HEADER, null));
    long due = (long) row.get(DUE);
    int person = Integer.parseInt(row.get("name").toString().replaceAll("\\D", ""));
    synchronized (open) {
      // A row may stand for several events of its person.
      ArrayDeque<Long> waiting = open.get(person);
      while (waiting != null && !waiting.isEmpty() && waiting.peek() <= due) {
        latencies.add(now - waiting.remove());
      }
    }
  }

  /** Latencies of the events that were seen since the last call. */
  Latencies window() throws IOException {
    if (failure != null) {
      throw new IOException("the load of " + entrant.id() + " has ended: " + failure, failure);
    }
    Latencies last = latencies;
    latencies = new Latencies();
    return last;
  }

  /**
   * Stops sending, and waits until all events are seen.
   *
   * @return as {@link #window}
   */
  Latencies finish() throws IOException, InterruptedException {
    isSending = false;
    sender.join();
    long until = System.nanoTime() + LAST.toNanos();
    while (!isOver()) {
      if (failure == null && System.nanoTime() > until) {
        throw new IOException("rows of %s are missing after %s".formatted(entrant.id(), LAST));
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return window();
  }

  private boolean isOver() {
    synchronized (open) {
      return failure != null || open.values().stream().allMatch(ArrayDeque::isEmpty);
    }
  }

  @Override
  public void close() throws InterruptedException {
    isSending = false;
    isReading = false;
    sender.join();
    reader.join();
  }
}
