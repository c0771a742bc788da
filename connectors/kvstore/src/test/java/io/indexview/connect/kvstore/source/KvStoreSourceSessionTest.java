package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.indexview.connect.common.log.ChangeLog;
import io.indexview.connect.common.log.FakeTopic;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStores;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvStoreSourceSessionTest {
  private static final int MANY = 2_000;
  private static final int POLLS = 5_000;

  @TempDir private Path directory;
  private final Map<String, FakeTopic> topics = new HashMap<>();
  private KvStore store;

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
      for (int i = 0; i < POLLS && events.size() < 2; i++) {
        for (SourceRecord record : polled(session)) {
          session.acknowledged(record, null);
          if (record.topic().contains(".changes.")) {
            events.add(record);
          }
        }
      }
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
    List<SourceRecord> lastBatch = List.of();
    for (int i = 0; i < POLLS && lastBatch.size() < 100; i++) {
      lastBatch = polled(session);
    }
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(session::close);
    stopped.get(10, TimeUnit.SECONDS);

    assertThat(session.poll()).isNull();
    List<SourceRecord> unacknowledged = lastBatch;
    assertThat(unacknowledged).hasSizeGreaterThanOrEqualTo(100);
    assertThatCode(() -> unacknowledged.forEach(record -> session.acknowledged(record, null)))
        .doesNotThrowAnyException();
    session.close();

    try (KvStoreSourceSession next = session(List.of("people"))) {
      int events = 0;
      for (int i = 0; i < POLLS && events < MANY; i++) {
        events += (int) polled(next).stream().filter(r -> r.topic().equals(People.TOPIC)).count();
      }
      assertThat(events).isEqualTo(MANY);
    }
  }

  private static List<SourceRecord> polled(KvStoreSourceSession session)
      throws InterruptedException {
    List<SourceRecord> records = session.poll();
    return records == null ? List.of() : records;
  }

  private KvStoreSourceSession session(List<String> recordSets) {
    Map<String, String> config = new HashMap<>();
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
        partition -> null,
        Clock.systemUTC());
  }

  private final class FakePorts implements SourcePorts {
    @Override
    public KvStore openStore() {
      return KvStoreSourceSessionTest.this.openStore();
    }

    @Override
    public ChangeLog openLog(RecordSetConfig recordSet) {
      return topics.computeIfAbsent(recordSet.topic(), name -> new FakeTopic(2)).open();
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(Map.of("schema.registry.url", "mock://session"));
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return Requests.NONE;
    }
  }
}
