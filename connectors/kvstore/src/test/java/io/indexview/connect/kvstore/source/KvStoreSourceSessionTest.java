package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvStoreSourceSessionTest {
  private static final int MANY = 2_000;

  @TempDir private Path directory;
  private final Map<String, FakeTopic> topics = new HashMap<>();
  private KvStore store;
  private Duration scanInterval = Duration.ofSeconds(10);
  private Supplier<KvStore> opening = this::openStore;
  private Requests requests = Requests.NONE;

  @BeforeEach
  void open() {
    store = openStore();
  }

  private KvStore openStore() {
    return KvStores.open(
        KvStoreConfig.of("embedded:" + directory.resolve("store"))
            .withCacheBytes(8L << 20)
            .withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void publishesEachRecordSetToItsTopic() throws InterruptedException {
    store.put(KvKey.ofMajor("Corporate", "people", "1"), People.bytes("Ada"));
    store.put(KvKey.ofMajor("Corporate", "orders", "9"), People.bytes("Order"));
    try (KvStoreSourceSession session = session(List.of("people", "orders"))) {
      List<SourceRecord> events = new ArrayList<>();
      polling()
          .until(
              () -> {
                for (SourceRecord record : polled(session)) {
                  session.acknowledged(record, null);
                  if (record.topic().contains(".changes.")) {
                    events.add(record);
                  }
                }
                return events.size() >= 2;
              });
      assertThat(events)
          .extracting(record -> record.topic() + " " + record.key())
          .containsExactlyInAnyOrder(
              "indexview.changes.people /Corporate/people/1",
              "indexview.changes.orders /Corporate/orders/9");
    }
  }

  @Test
  void stopsInTheMiddleOfAScanAndLeavesNothingOpen() throws Exception {
    for (int i = 0; i < MANY; i++) {
      store.put(People.key(i), People.bytes("Ada"));
    }
    KvStoreSourceSession session = session(List.of("people"));
    List<SourceRecord> unacknowledged =
        polling().until(() -> polled(session), batch -> batch.size() >= 100);
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(session::close);
    stopped.get(1, TimeUnit.MINUTES);

    assertThat(session.poll()).isNull();
    assertThatCode(() -> unacknowledged.forEach(record -> session.acknowledged(record, null)))
        .doesNotThrowAnyException();
    session.close();

    try (KvStoreSourceSession next = session(List.of("people"))) {
      List<SourceRecord> events = new ArrayList<>();
      polling()
          .until(
              () -> {
                polled(next).stream()
                    .filter(record -> record.topic().equals(People.TOPIC))
                    .forEach(events::add);
                return events.size() >= MANY;
              });
      assertThat(events).hasSize(MANY);
    }
  }

  /** Who follows changes may still be waiting for the store when the task is stopped. */
  @Test
  void closesAStoreThatIsOpenedWhileItStops() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Void> closed = new CompletableFuture<>();
    opening =
        () -> {
          asked.countDown();
          await().until(() -> answers.getCount() == 0);
          return closing(openStore(), closed);
        };
    KvStoreSourceSession session = session(List.of("people"));
    polling().until(() -> polled(session).isEmpty() && asked.getCount() == 0);
    Thread stop = new Thread(session::close);
    stop.start();
    await().until(() -> stop.getState() == Thread.State.TIMED_WAITING);
    answers.countDown();

    closed.get(1, TimeUnit.MINUTES);
    stop.join();
  }

  @Test
  void leavesNothingOpenWhenItCannotBegin() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    requests =
        new Requests() {
          @Override
          public long newest(String topic) {
            return 0;
          }

          @Override
          public void close() {
            closed.complete(null);
          }
        };

    assertThatThrownBy(() -> session(List.of("people"), Map.of("0", Map.of("scan", 7L))))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("topicId");
    assertThat(closed).isDone();
  }

  private static KvStore closing(KvStore store, CompletableFuture<Void> closed) {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                closed.complete(null);
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void publishesForeignWritesOfAnEmbeddedStoreWithoutAScan() throws InterruptedException {
    store.put(People.key(1), People.bytes("Ada"));
    AvroConverter converter = new AvroConverter();
    converter.configure(Map.of("schema.registry.url", "mock://session"), false);
    List<String> events = new ArrayList<>();
    Map<String, Map<String, Object>> offsets = new HashMap<>();
    scanInterval = Duration.ofHours(1);
    try (KvStoreSourceSession session = session(List.of("people"), offsets)) {
      pollUntil(session, converter, offsets, events, "r /Corporate/people/1");
      // Until the first scan is complete, changes are reads, too.
      pollUntil(session, converter, offsets, events, "position");
      store.put(People.key(1), People.bytes("Ada Lovelace"));
      pollUntil(session, converter, offsets, events, "u /Corporate/people/1");
      store.delete(People.key(1));
      pollUntil(session, converter, offsets, events, "d /Corporate/people/1");
      pollUntil(session, converter, offsets, events, "position");
    }
    store.put(People.key(2), People.bytes("Bob"));
    try (KvStoreSourceSession session = session(List.of("people"), offsets)) {
      pollUntil(session, converter, offsets, events, "c /Corporate/people/2");
    }
    assertThat(offsets.get("0")).as("the only scan").containsEntry("scan", 1L);
  }

  /** Kafka has everything at once. */
  private void pollUntil(
      KvStoreSourceSession session,
      AvroConverter converter,
      Map<String, Map<String, Object>> offsets,
      List<String> events,
      String awaited)
      throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!events.remove(awaited)) {
      assertThat(System.nanoTime() - deadline).as(awaited + " in " + events).isNegative();
      for (SourceRecord record : polled(session)) {
        offsets.put("0", new HashMap<>(record.sourceOffset()));
        RecordMetadata metadata =
            new RecordMetadata(new TopicPartition(record.topic(), 0), 0, 0, 0, 0, 0);
        if (record.topic().equals(People.TOPIC)) {
          events.add(((Struct) record.value()).getString("op") + " " + record.key());
          metadata = append(record, converter);
        } else if (record.sourceOffset().containsKey("changes.position")) {
          events.add("position");
        }
        session.acknowledged(record, metadata);
      }
    }
  }

  private RecordMetadata append(SourceRecord record, AvroConverter converter) {
    FakeTopic topic = topics.get(record.topic());
    byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
    byte[] value = converter.fromConnectData(record.topic(), record.valueSchema(), record.value());
    long offset = topic.append(key, value, System.currentTimeMillis());
    TopicPartition partition = new TopicPartition(record.topic(), topic.partition(key));
    return new RecordMetadata(partition, offset, 0, 0, 0, 0);
  }

  /** A poll waits itself; changes of the store are opened on a thread beside it. */
  private static ConditionFactory polling() {
    return await()
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .atMost(Duration.ofMinutes(1));
  }

  private static List<SourceRecord> polled(KvStoreSourceSession session)
      throws InterruptedException {
    List<SourceRecord> records = session.poll();
    return records == null ? List.of() : records;
  }

  @Test
  void refusesToAnswerForFewerKeysThanBefore() {
    assertThatThrownBy(() -> session(List.of("people"), scanned("/Corporate")).close())
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll(
            "record.set.people.prefix /Corporate/people", "for, /Corporate;", "Set it back");

    session(List.of("people"), scanned("/Corporate/people/here")).close();
  }

  private static Map<String, Map<String, Object>> scanned(String prefix) {
    Scan scan =
        new Scan(
            1,
            5,
            6,
            1,
            false,
            0,
            Optional.of(new KeyScope(prefix, ".lob")),
            Map.of(0, 0L),
            Map.of(0, 1L));
    return Map.of("0", KvStoreSourceOffset.NONE.completed("id", scan).toMap());
  }

  private KvStoreSourceSession session(List<String> recordSets) {
    return session(recordSets, Map.of());
  }

  /**
   * @param offsets by source partition, what Connect has stored
   */
  private KvStoreSourceSession session(
      List<String> recordSets, Map<String, Map<String, Object>> offsets) {
    Map<String, String> config = new HashMap<>();
    config.put("scan.interval.ms", Long.toString(scanInterval.toMillis()));
    config.put("scan.max.interval.ms", Long.toString(Duration.ofHours(1).toMillis()));
    config.put("heartbeat.interval.ms", "100");
    config.put("schema.registry.url", "mock://session");
    config.put("source.name", "people-store");
    config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
    config.put("index.dir", directory.resolve("index").toString());
    config.put("kafka.bootstrap.servers", "localhost:9092");
    config.put("record.sets", String.join(",", recordSets));
    for (String name : recordSets) {
      config.put("record.set." + name + ".prefix", "/Corporate/" + name);
      config.put("record.set." + name + ".schema", People.SCHEMA.toString());
    }
    return new KvStoreSourceSession(
        new KvStoreSourceConfig(config),
        recordSets,
        new FakePorts(),
        partition -> offsets.get(partition.get("sourcePartition")),
        Time.SYSTEM);
  }

  private final class FakePorts implements SourcePorts {
    @Override
    public KvStore openStore() {
      return opening.get();
    }

    @Override
    public ChangeTopicReader openReader(KvRecordSet recordSet) {
      return topics
          .computeIfAbsent(recordSet.topic(), name -> new FakeTopic(2, Time.SYSTEM))
          .open();
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(Map.of("schema.registry.url", "mock://session"));
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return requests;
    }
  }
}
