package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.streams.task.TrimmedEvents.Trimmed;
import io.indexview.streams.topology.StreamsClients;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the clients of Kafka Streams do beside what it asks of them, on a real broker. */
@Timeout(600)
class StreamsClientsIT {
  private static final TopicPartition PARTITION = new TopicPartition("changes", 0);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final long EVENTS = 10;

  /** Of one transaction: its marker has an offset, and is no event. */
  private static final long END = EVENTS + 1;

  private static final TopicPartition WAITING = new TopicPartition("events", 0);
  private static final TopicPartition OTHER = new TopicPartition("events", 1);

  private static final OffsetAndMetadata NEXT = new OffsetAndMetadata(1);

  private static LocalStack stack;
  private static Admin admin;

  private final TrimmedEvents noted = new TrimmedEvents();
  private final AwayRegistry registry = new AwayRegistry();
  private final StreamsClients clients =
      new StreamsClients(
          noted,
          new RefusingTopics(topic -> true, Clock.systemUTC()),
          registry.asked(),
          new StopSignal());

  /** Of some schemas it answers nothing. */
  private static final class AwayRegistry {
    private final InMemorySchemaRegistry answers = new InMemorySchemaRegistry();
    private volatile boolean isAway = true;
    private final int known = answers.register("known", SchemaBuilder.builder().stringType());
    private final int unknown = answers.register("unknown", SchemaBuilder.builder().longType());

    SchemaRegistry asked() {
      return (SchemaRegistry)
          Proxy.newProxyInstance(
              SchemaRegistry.class.getClassLoader(),
              new Class<?>[] {SchemaRegistry.class},
              (proxy, method, arguments) -> {
                if (isAway && arguments[0].equals(unknown)) {
                  throw new RegistryException.Unavailable("away", null);
                }
                return answers.byId((Integer) arguments[0]);
              });
    }
  }

  @BeforeAll
  static void start(@TempDir Path directory) {
    stack =
        LocalStack.start(
            StackConfig.builder().dataDirectory(directory).parts(PartName.BROKER).build());
    admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()));
  }

  @AfterAll
  static void stop() {
    admin.close();
    stack.close();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  /** A task that waits for the registry loses its transaction, and with it its state. */
  @Test
  void consumersLeaveEventsToTheBrokersUntilTheirSchemasAreKnown() throws Exception {
    admin.createTopics(List.of(new NewTopic("events", 2, (short) 1))).all().get();
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int id : List.of(registry.known, registry.unknown, registry.known)) {
        producer.send(new ProducerRecord<>("events", 0, null, event(id))).get();
      }
      producer.send(new ProducerRecord<>("events", 1, null, event(registry.known))).get();
    }
    Map<String, Object> config =
        Map.of("bootstrap.servers", stack.bootstrapServers(), "auto.offset.reset", "none");
    try (LogLines log = LogLines.warnings(StreamsClients.class);
        Consumer<byte[], byte[]> consumer = clients.getConsumer(config)) {
      consumer.assign(List.of(WAITING, OTHER));
      consumer.seekToBeginning(List.of(WAITING, OTHER));
      List<String> came = new ArrayList<>();
      await()
          .atMost(TIMEOUT)
          .until(() -> !take(consumer, came).isEmpty() && clients.withheld() == 1);
      assertThat(log.get()).as("the answer may come soon").isEmpty();
      await().atMost(TIMEOUT).until(() -> take(consumer, came).size() == 2);
      assertThat(came).containsExactlyInAnyOrder("0/0", "1/0");
      for (int i = 0; i < 20; i++) {
        assertThat(take(consumer, came)).hasSize(2);
      }
      assertThat(consumer.position(WAITING)).isEqualTo(1);
      assertThat(clients.withheld()).isEqualTo(1);
      await().atMost(TIMEOUT).until(() -> take(consumer, came).size() == 2 && !log.get().isEmpty());
      assertThat(log.get())
          .singleElement(STRING)
          .contains("events-0 waits at offset 1", "schema registry");

      registry.isAway = false;
      await().atMost(TIMEOUT).until(() -> take(consumer, came).size() == 4);
      assertThat(came).endsWith("0/1", "0/2");
      assertThat(clients.withheld()).isZero();
    }
  }

  private static byte[] event(int schema) {
    return ByteBuffer.allocate(6).put((byte) 0).putInt(schema).array();
  }

  private static List<String> take(Consumer<byte[], byte[]> consumer, List<String> came) {
    consumer
        .poll(Duration.ofMillis(50))
        .forEach(event -> came.add(event.partition() + "/" + event.offset()));
    return came;
  }

  /**
   * The app asks for the starts of topics now and then, and a consumer may be past them by then.
   */
  @Test
  void consumersNoteWhatWasTrimmedUnderThem() throws Exception {
    admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1))).all().get();
    publish(stack.bootstrapServers());
    follow(stack.bootstrapServers());
  }

  private static void publish(String brokers) {
    Map<String, Object> config = Map.of("bootstrap.servers", brokers, "transactional.id", "source");
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int event = 0; event < EVENTS; event++) {
        producer.send(new ProducerRecord<>(PARTITION.topic(), new byte[1], new byte[1]));
      }
      producer.commitTransaction();
    }
  }

  private void follow(String brokers) throws Exception {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            brokers,
            "auto.offset.reset",
            "none",
            "isolation.level",
            "read_committed");
    try (Consumer<byte[], byte[]> consumer = clients.getConsumer(config)) {
      consumer.assign(List.of(PARTITION));
      consumer.seekToBeginning(List.of(PARTITION));
      AtomicLong read = new AtomicLong();
      await()
          .atMost(TIMEOUT)
          .until(() -> read.addAndGet(consumer.poll(Duration.ofMillis(100)).count()) >= EVENTS);
      assertThat(read).hasValue(EVENTS);
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  consumer.poll(Duration.ofMillis(100)).isEmpty()
                      && consumer.position(PARTITION) == END);
      admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(END))).all().get();
      assertThat(consumer.poll(Duration.ofSeconds(1))).isEmpty();
      assertThat(noted.take(PARTITION)).as("all was read").isEmpty();

      consumer.seek(PARTITION, 4);
      awaitOutOfRange(consumer);
      assertThat(noted.take(PARTITION)).contains(new Trimmed(4, END));

      consumer.seek(PARTITION, 99);
      awaitOutOfRange(consumer);
      assertThat(noted.take(PARTITION)).as("the topic is another one, or ends before").isEmpty();
    }
  }

  /** Kafka's producer waits for a topic that is gone, and whatever its thread does with it. */
  @Test
  void producersGiveUpCommitsThatWaitForATopicThatIsGone() throws Exception {
    TopicPartition there = new TopicPartition("there", 0);
    Map<TopicPartition, OffsetAndMetadata> offsets =
        Map.of(there, NEXT, new TopicPartition("gone", 0), NEXT);
    admin.createTopics(List.of(new NewTopic(there.topic(), 1, (short) 1))).all().get();
    Map<String, Object> config =
        Map.of("bootstrap.servers", stack.bootstrapServers(), "transactional.id", "app");
    ConsumerGroupMetadata group = groupMetadata("app");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Producer<byte[], byte[]> waiting = clients.getProducer(config)) {
      waiting.initTransactions();
      waiting.beginTransaction();
      Future<?> commit = thread.submit(() -> waiting.sendOffsetsToTransaction(offsets, group));
      assertThatThrownBy(() -> commit.get(3, TimeUnit.SECONDS))
          .isInstanceOf(TimeoutException.class);
      clients.gone(Set.of("gone"));
      assertThatThrownBy(() -> commit.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(ProducerFencedException.class);
      assertThat(thread.submit(Thread::interrupted).get()).isFalse();
      assertThatThrownBy(waiting::abortTransaction)
          .isInstanceOf(org.apache.kafka.common.errors.TimeoutException.class);
    } finally {
      thread.shutdownNow();
    }
    try (Producer<byte[], byte[]> next = clients.getProducer(config)) {
      next.initTransactions();
      next.beginTransaction();
      next.sendOffsetsToTransaction(offsets, group);
      next.commitTransaction();
    }
    assertThat(committed("app").keySet()).containsExactly(there);
  }

  /** Kafka Streams flushes for each task of a thread; a round trip for each would add up. */
  @Test
  void producersWaitForTheRowsOfATransactionOnceBeforeItsOffsets() throws Exception {
    admin.createTopics(List.of(new NewTopic("rows", 1, (short) 1))).all().get();
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            stack.bootstrapServers(),
            "transactional.id",
            "rows",
            "linger.ms",
            60_000);
    List<Long> passedOn = Collections.synchronizedList(new ArrayList<>());
    ProducerRecord<byte[], byte[]> row = new ProducerRecord<>("rows", new byte[1]);
    Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(new TopicPartition("rows", 0), NEXT);
    ConsumerGroupMetadata group = groupMetadata("rows");
    try (Producer<byte[], byte[]> producer = clients.getProducer(config)) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int task = 0; task < 3; task++) {
        producer.send(row, (metadata, failure) -> passedOn.add(metadata.offset()));
        producer.flush();
      }
      Future<RecordMetadata> last = producer.send(row);
      producer.flush();
      assertThat(last.isDone()).isFalse();

      producer.sendOffsetsToTransaction(offsets, group);
      assertThat(last.get().offset()).isEqualTo(3);
      assertThat(passedOn).isEmpty();
      producer.commitTransaction();

      producer.beginTransaction();
      producer.send(row, (metadata, failure) -> passedOn.add(metadata.offset()));
      producer.send(row, (metadata, failure) -> passedOn.add(metadata.offset()));
      producer.sendOffsetsToTransaction(offsets, group);
      // Of those of a partition the last one stands for all.
      assertThat(passedOn).containsExactly(6L);
      producer.commitTransaction();
    }
  }

  /** What Kafka Streams takes as tasks that have moved, and begins anew for. */
  @Test
  void producersThatAreFencedAfterAFlushSaySoBeforeTheirOffsets() throws Exception {
    admin.createTopics(List.of(new NewTopic("fenced", 1, (short) 1))).all().get();
    Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(new TopicPartition("fenced", 0), NEXT);
    ConsumerGroupMetadata group = groupMetadata("fenced");
    try (Producer<byte[], byte[]> producer = clients.getProducer(transactional("fenced"))) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("fenced", new byte[1]));
      producer.flush();
      admin.fenceProducers(List.of("fenced")).all().get();
      assertThatThrownBy(() -> producer.sendOffsetsToTransaction(offsets, group))
          .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
    }
  }

  @Test
  void producersKeepTheCauseOfARowThatFailsAfterAFlush() throws Exception {
    NewTopic small =
        new NewTopic("small", 1, (short) 1)
            .configs(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "1000"));
    admin.createTopics(List.of(small)).all().get();
    Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(new TopicPartition("small", 0), NEXT);
    ConsumerGroupMetadata group = groupMetadata("small");
    try (Producer<byte[], byte[]> producer = clients.getProducer(transactional("small"))) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> row = producer.send(new ProducerRecord<>("small", new byte[5_000]));
      producer.flush();
      assertThat(row.isDone()).isFalse();
      // Kafka's producer fails the row first, and its transaction a moment later.
      assertThatThrownBy(() -> producer.sendOffsetsToTransaction(offsets, group))
          .satisfiesAnyOf(
              failure -> assertThat(failure).isInstanceOf(RecordTooLargeException.class),
              failure -> assertThat(failure).hasRootCauseInstanceOf(RecordTooLargeException.class));
      producer.abortTransaction();
    }
  }

  /** Sends nothing before it is flushed. */
  private static Map<String, Object> transactional(String id) {
    return Map.of(
        "bootstrap.servers", stack.bootstrapServers(), "transactional.id", id, "linger.ms", 60_000);
  }

  @Test
  void producersWithoutTransactionsWaitForRowsWhenTheyAreFlushed() throws Exception {
    admin.createTopics(List.of(new NewTopic("at-least-once", 1, (short) 1))).all().get();
    Map<String, Object> config =
        Map.of("bootstrap.servers", stack.bootstrapServers(), "linger.ms", 60_000);
    List<Long> passedOn = Collections.synchronizedList(new ArrayList<>());
    ProducerRecord<byte[], byte[]> row = new ProducerRecord<>("at-least-once", new byte[1]);
    try (Producer<byte[], byte[]> producer = clients.getProducer(config)) {
      for (int sent = 0; sent < 3; sent++) {
        producer.send(row, (metadata, failure) -> passedOn.add(metadata.offset()));
      }
      producer.flush();
      assertThat(passedOn).containsExactly(2L);

      Future<RecordMetadata> next = producer.send(row, null);
      producer.flush();
      assertThat(next.isDone()).isTrue();
    }
    assertThat(passedOn).containsExactly(2L);
  }

  /** A transaction is committed before the group's own topic has its end. */
  private static Map<TopicPartition, OffsetAndMetadata> committed(String group) throws Exception {
    ListConsumerGroupOffsetsOptions withoutPending =
        new ListConsumerGroupOffsetsOptions().requireStable(true);
    return admin
        .listConsumerGroupOffsets(group, withoutPending)
        .partitionsToOffsetAndMetadata()
        .get();
  }

  private ConsumerGroupMetadata groupMetadata(String group) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", stack.bootstrapServers(), "group.id", group);
    try (Consumer<byte[], byte[]> consumer = clients.getConsumer(config)) {
      return consumer.groupMetadata();
    }
  }

  private static void awaitOutOfRange(Consumer<byte[], byte[]> consumer) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(1)))
                    .isInstanceOf(OffsetOutOfRangeException.class));
  }
}
