package io.indexview.client.write;

import static io.indexview.client.write.People.key;
import static io.indexview.client.write.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.FakeBroker.Arrived;
import io.indexview.client.write.Written.PublishFailedException;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.Nesting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterTest {
  private static final KvKey ADA = key("ada");

  @TempDir private Path directory;
  private final FakeBroker broker = new FakeBroker();
  private final FakeBroker.Client client = broker.client();
  private KvStore store;
  private Writer writer;

  @BeforeEach
  void open() {
    store = People.open(directory);
    writer = writer(100);
  }

  @AfterEach
  void close() {
    writer.close();
    store.close();
  }

  private Writer writer(int maxInFlight) {
    return new Writer(
        store,
        People.config(maxInFlight),
        People.CODEC,
        client.producer(),
        broker.registry,
        Clock.systemUTC());
  }

  private Arrived arrived() {
    client.arrive();
    return broker.log().get(broker.log().size() - 1);
  }

  private static Origin versioned(KvVersion version) {
    byte[] sequence = ByteBuffer.allocate(8).putLong(version.vlsn()).array();
    return new Origin.Versioned(new SourceVersion("7/" + version.shard(), sequence));
  }

  @Test
  void tellsOfACreatedAndAReplacedRecordWithTheStoresVersion() {
    Written created = writer.put(ADA, person("Ada", 1));
    Arrived first = arrived();

    assertThat(store.get(ADA).orElseThrow().version()).isEqualTo(created.version());
    assertThat(first.key()).isEqualTo("/Corporate/people/ada");
    assertThat(first.event().op()).isEqualTo(Op.CREATE);
    assertThat(first.event().origin()).isEqualTo(versioned(created.version()));
    assertThat(created.token()).isEqualTo(new FreshnessToken(People.TOPIC, 0, 0));

    Written replaced = writer.put(ADA, person("Ada", 2));
    Arrived second = arrived();
    assertThat(second.event().op()).isEqualTo(Op.UPDATE);
    assertThat(second.event().origin()).isEqualTo(versioned(replaced.version()));
    assertThat(bytes(second.event().value())).isEqualTo(store.get(ADA).orElseThrow().value());
  }

  /** The record inside the envelope is, byte for byte, what the store holds. */
  private static byte[] bytes(FramedValue value) {
    return Arrays.copyOfRange(value.buffer(), value.offset(), value.offset() + value.length());
  }

  @Test
  void tellsOfADeletedRecordWithTheVersionThatWasRemoved() {
    KvVersion version = writer.put(ADA, person("Ada", 1)).version();
    client.arrive();

    Written deleted = writer.delete(ADA).orElseThrow();

    assertThat(deleted.version()).isEqualTo(version);
    Arrived event = arrived();
    assertThat(event.event().op()).isEqualTo(Op.DELETE);
    assertThat(event.event().origin()).isEqualTo(versioned(version));
    assertThat(writer.delete(ADA)).isEmpty();
    assertThat(client.underWay()).isZero();
  }

  @Test
  void tellsNothingOfAWriteWhoseConditionDoesNotHold() {
    Written first = writer.putIfAbsent(ADA, person("Ada", 1)).orElseThrow();
    Written second = writer.putIfVersion(ADA, person("Ada", 2), first.version()).orElseThrow();
    client.arrive();
    client.arrive();

    assertThat(writer.putIfAbsent(ADA, person("Ada", 3))).isEmpty();
    assertThat(writer.putIfVersion(ADA, person("Ada", 3), first.version())).isEmpty();
    assertThat(writer.deleteIfVersion(ADA, first.version())).isEmpty();

    assertThat(client.underWay()).isZero();
    assertThat(store.get(ADA).orElseThrow().version()).isEqualTo(second.version());
    assertThat(writer.deleteIfVersion(ADA, second.version())).isPresent();
    assertThat(arrived().event().op()).isEqualTo(Op.DELETE);
  }

  @Test
  void executesAllOperationsOfAMajorPathOrNone() {
    KvKey mail = ADA.child("mail");
    KvKey phone = ADA.child("phone");
    writer.put(mail, person("Ada", 1));
    client.arrive();

    List<Optional<Written>> written =
        writer.execute(
            List.of(
                new WriteOperation.Put(ADA, person("Ada", 2)),
                new WriteOperation.Delete(mail),
                new WriteOperation.Delete(phone)));

    assertThat(written.get(0)).isPresent();
    assertThat(written.get(1)).isPresent();
    assertThat(written.get(2)).isEmpty();
    assertThat(arrived().key()).isEqualTo("/Corporate/people/ada");
    assertThat(arrived().event().op()).isEqualTo(Op.DELETE);
    assertThat(client.underWay()).isZero();

    assertThatThrownBy(
            () ->
                writer.execute(
                    List.of(
                        new WriteOperation.Put(phone, person("Ada", 3)),
                        new WriteOperation.PutIfAbsent(ADA, person("Ada", 3)))))
        .isInstanceOf(KvExecutionException.class);
    assertThat(store.get(phone)).isEmpty();
    assertThat(client.underWay()).isZero();
  }

  @Test
  void reportsAnEventThatDidNotArriveApartFromTheWriteThatDid() {
    Written written = writer.put(ADA, person("Ada", 1));
    client.lose();

    assertThatThrownBy(written::token)
        .isInstanceOfSatisfying(
            PublishFailedException.class,
            failure -> {
              assertThat(failure.key()).isEqualTo(ADA);
              assertThat(failure.version()).isEqualTo(written.version());
            })
        .hasMessageContaining("is safe in the store");
    assertThat(store.get(ADA)).isPresent();
  }

  @Test
  void writesWhileKafkaOrTheRegistryIsDown() {
    client.refuse(FakeBroker.down());
    assertThat(writer.put(ADA, person("Ada", 1)).published()).isCompletedExceptionally();
    client.refuse(new RegistryException.Unavailable("registry is down", null));
    assertThat(writer.put(ADA, person("Ada", 2)).published()).isCompletedExceptionally();
    assertThat(store.get(ADA)).isPresent();
  }

  /** Each would wait for as long as the first: hours, for a thousand. */
  @Test
  void waitsForKafkaOrTheRegistryOnceInAWrite() {
    for (RuntimeException outage :
        List.of(
            new TimeoutException("Topic people not present in metadata"),
            new RegistryException.Unavailable("registry is down", null))) {
      client.refuse(outage);
      int before = client.refused();

      List<Optional<Written>> written =
          writer.execute(
              List.of(
                  new WriteOperation.Put(ADA, person("Ada", 1)),
                  new WriteOperation.Delete(ADA.child("nothing")),
                  new WriteOperation.Put(ADA.child("mail"), person("Ada", 2)),
                  new WriteOperation.Put(ADA.child("phone"), person("Ada", 3))));

      assertThat(client.refused() - before).isEqualTo(1);
      assertThat(written.get(1)).isEmpty();
      for (int i : new int[] {0, 2, 3}) {
        assertThatThrownBy(written.get(i).orElseThrow()::token)
            .isInstanceOf(PublishFailedException.class)
            .hasCause(outage);
      }
    }
    client.refuse(null);
    assertThat(writer.delete(ADA.child("mail"))).isPresent();
    assertThat(arrived().event().op()).isEqualTo(Op.DELETE);
  }

  /** What is wrong with one event says nothing of the others. */
  @Test
  void sendsTheOtherEventsOfAWriteWhenOneIsTooLarge() {
    client.refuse(new RecordTooLargeException("too large"));
    List<WriteOperation> operations =
        List.of(
            new WriteOperation.Put(ADA, person("Ada", 1)),
            new WriteOperation.Put(ADA.child("mail"), person("Ada", 2)));

    writer.execute(operations);

    assertThat(client.refused()).isEqualTo(2);
  }

  @Test
  void hasRoomForAllEventsAfterAnOutage() {
    writer.close();
    writer = writer(2);
    List<WriteOperation> operations =
        List.of(
            new WriteOperation.Put(ADA, person("Ada", 1)),
            new WriteOperation.Put(ADA.child("mail"), person("Ada", 2)));
    client.refuse(new TimeoutException("Topic people not present in metadata"));
    writer.execute(operations);
    client.refuse(null);

    assertThat(writer.execute(operations)).doesNotContain(Optional.empty());
    assertThat(client.underWay()).isEqualTo(2);
  }

  @Test
  void neverReportsAWriteThatTheStoreRefused() {
    KvKey large = key("photo.lob");
    assertThatThrownBy(() -> writer.put(large, person("Ada", 1)))
        .isInstanceOf(KvStoreException.Refused.class);
    store.close();
    assertThatThrownBy(() -> writer.put(ADA, person("Ada", 1)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(client.underWay()).isZero();
    store = People.open(directory);
    assertThat(store.get(ADA)).isEmpty();
  }

  @Test
  void refusesWhatIsNotOfTheRecordSetBeforeItWrites() {
    KvKey elsewhere = KvKey.ofMajor("Corporate", "files", "1");
    assertThatThrownBy(() -> writer.put(elsewhere, person("Ada", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/Corporate/people");
    assertThatThrownBy(() -> writer.put(ADA, person(null, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.Person");
    var other = SchemaBuilder.record("Other").fields().requiredString("name").endRecord();
    assertThatThrownBy(() -> writer.put(ADA, new GenericData.Record(other)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Other");
    assertThat(store.get(ADA)).isEmpty();
  }

  @Test
  void refusesRecordsThatNestDeeperThanReadersTake() {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "next", "type": ["null", "Node"], "default": null}]}""");
    try (Writer nodes =
        new Writer(
            store,
            People.config(10),
            ValueEncoder.avro(node),
            client.producer(),
            broker.registry,
            Clock.systemUTC())) {
      assertThatThrownBy(() -> nodes.put(ADA, chain(node, Nesting.MAX_LEVELS + 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("500 levels");
      assertThatThrownBy(() -> nodes.put(ADA, chain(node, 100_000)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(store.get(ADA)).isEmpty();
      nodes.put(ADA, chain(node, Nesting.MAX_LEVELS));
      assertThat(store.get(ADA)).isPresent();
    }
  }

  private static GenericRecord chain(Schema node, int levels) {
    GenericRecord record = null;
    for (int i = 0; i < levels; i++) {
      GenericRecord outer = new GenericData.Record(node);
      outer.put("next", record);
      record = outer;
    }
    return record;
  }

  @Test
  void waitsBeforeItWritesWhenTooManyEventsAreUnderWay() {
    writer.close();
    writer = writer(2);
    writer.put(ADA, person("Ada", 1));
    // These leave no event behind, and must leave no room taken.
    writer.delete(key("nobody"));
    assertThat(writer.putIfAbsent(ADA, person("Ada", 2))).isEmpty();
    assertThatThrownBy(() -> writer.put(key("x.lob"), person("Ada", 1)));
    writer.put(ADA, person("Ada", 3));

    CompletableFuture<Written> third = new CompletableFuture<>();
    Thread thread = new Thread(() -> third.complete(writer.put(key("bob"), person("Bob", 1))));
    thread.start();
    await().until(() -> thread.getState() == Thread.State.WAITING);
    assertThat(store.get(key("bob"))).isEmpty();
    client.lose();
    assertThat(third.join().version()).isNotNull();

    assertThatThrownBy(
            () ->
                writer.execute(
                    List.of(
                        new WriteOperation.Delete(ADA),
                        new WriteOperation.Delete(ADA.child("1")),
                        new WriteOperation.Delete(ADA.child("2")))))
        .hasMessageContaining("maxInFlight");
  }

  /** A caller that waits for a token would wait for others' events, which need not come. */
  @Test
  void sendsAnEventWithoutWaitingForOthers() {
    assertThat(Writer.producerSettings(Map.of())).containsEntry(ProducerConfig.LINGER_MS_CONFIG, 0);
  }

  @Test
  void settingsForOrderAndPartitionOfEventsCannotBeOverridden() {
    Map<String, Object> settings =
        Writer.producerSettings(
            Map.of(
                ProducerConfig.ACKS_CONFIG,
                "0",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                false,
                ProducerConfig.PARTITIONER_CLASS_CONFIG,
                "some.Partitioner",
                ProducerConfig.LINGER_MS_CONFIG,
                7));

    assertThat(settings)
        .containsEntry(ProducerConfig.ACKS_CONFIG, "all")
        .containsEntry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true)
        .containsEntry(ProducerConfig.LINGER_MS_CONFIG, 7)
        .containsEntry(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000)
        .containsEntry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 30_000)
        .containsEntry(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false)
        .doesNotContainKey(ProducerConfig.PARTITIONER_CLASS_CONFIG);
  }

  @Test
  void saysOncePerOutageThatEventsDoNotArrive() {
    try (LogLines log = LogLines.of(ChangePublisher.class)) {
      for (int outage = 1; outage <= 2; outage++) {
        for (int lost = 0; lost < 3; lost++) {
          writer.put(ADA, person("Ada", lost));
          client.lose();
        }
        assertThat(log.get())
            .hasSize(outage)
            .allMatch(line -> line.startsWith("Change events do not reach Kafka, views follow"));
        writer.put(ADA, person("Ada", 4));
        client.arrive();
      }
      assertThat(log.get()).hasSize(2);
    }
  }

  @Test
  void keepsTheRecordAndFailsTheTokenWhenNoBrokerAnswers() {
    Map<String, Object> nobody =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            "127.0.0.1:1",
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            200);
    try (Writer unheard =
        Writer.connect(store, People.config(10), People.CODEC, nobody, broker.registry)) {
      Written written = unheard.put(ADA, person("Ada", 1));

      assertThatThrownBy(written::token).isInstanceOf(PublishFailedException.class);
      assertThat(store.get(ADA).orElseThrow().version()).isEqualTo(written.version());
    }
  }
}
