package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.source.KvStoreSourceSession;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SourcePorts;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A source, what derives rows from its events, and a sink, while primary records change and the
 * store that holds records and rows stops and starts again at any of their calls.
 */
class StoreRestartTest {
  private static final int STOPS = 8;
  private static final int PEOPLE = 300;
  private static final int CHANGES_PER_STEP = 10;
  private static final int BATCH = 40;
  private static final int STEPS = 100_000;

  private final Map<String, String> registryConfig =
      Map.of("schema.registry.url", "mock://restart-" + UUID.randomUUID());
  private final Random random = new Random(23);
  private final FakeTopic topic = new FakeTopic(2, Time.SYSTEM);
  private final AvroConverter converter = new AvroConverter();
  private final ViewRows view = new ViewRows("key: [org]\nlayout: key-value\ntarget: kv");
  private final FakeSinkContext context = new FakeSinkContext();
  private final Map<String, String> derived = new HashMap<>();
  private final List<SinkRecord> rows = new ArrayList<>();

  @TempDir private Path directory;
  private RestartedStore store;
  private KvStore application;
  private KvStoreSourceSession source;
  private KvStoreSinkSession sink;
  private long events;
  private int written;
  private int refused;

  private void open(WriteMode mode) {
    converter.configure(registryConfig, false);
    store = new RestartedStore(directory.resolve("store"), random);
    application = store.open();
    source =
        new KvStoreSourceSession(
            sourceConfig(), List.of("people"), new Ports(), partition -> null, Time.SYSTEM);
    sink =
        new KvStoreSinkSession(
            context,
            store::open,
            new KvStoreSinkSession.Settings(
                mode,
                4,
                KvRowWriter.MIN_IN_BULK,
                KvSinkHarness.NEVER_SLOW,
                1 << 20,
                1 << 20,
                new TombstoneRemovals.Settings(Duration.ofDays(15), Duration.ofDays(1), 1_000),
                () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(5)),
                "indexview.view-states",
                List.of("META")),
            Time.SYSTEM);
  }

  @AfterEach
  void close() {
    source.close();
    sink.close();
    store.close();
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreExactAfterRestartsOfTheStore(WriteMode mode) throws InterruptedException {
    open(mode);
    for (int i = 0; i < STEPS && (store.stops() < STOPS || refused == 0); i++) {
      change();
      scan();
      write();
    }
    assertThat(store.stops()).isGreaterThanOrEqualTo(STOPS);
    assertThat(refused).as("batches that came again").isPositive();
    store.stay();
    for (int i = 0; i < STEPS && (written < rows.size() || !derived().equals(primary())); i++) {
      scan();
      write();
    }

    assertThat(stored()).isEqualTo(primary()).isNotEmpty();
    assertThat(context.rejected()).isEmpty();
  }

  /** Nobody tells of it: the source has to look. */
  private void change() {
    for (int i = 0; i < CHANGES_PER_STEP; i++) {
      KvKey key = People.key(random.nextInt(PEOPLE));
      try {
        if (random.nextInt(4) == 0) {
          application.delete(key);
        } else {
          application.put(key, People.bytes("org " + random.nextInt(20)));
        }
      } catch (KvStoreException.Unavailable e) {
        // As applications do that can: the record is as it was.
      }
    }
  }

  private void scan() throws InterruptedException {
    List<SourceRecord> polled = source.poll();
    for (SourceRecord record : polled == null ? List.<SourceRecord>of() : polled) {
      RecordMetadata metadata = metadata(record.topic(), 0, 0);
      if (record.topic().equals(People.TOPIC)) {
        byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
        byte[] value =
            converter.fromConnectData(record.topic(), record.valueSchema(), record.value());
        long offset = topic.append(key, value, System.currentTimeMillis());
        metadata = metadata(record.topic(), topic.partition(key), offset);
        derive((String) record.key(), ((Struct) record.value()).getStruct("after"));
      }
      source.acknowledged(record, metadata);
    }
  }

  private static RecordMetadata metadata(String topic, int partition, long offset) {
    return new RecordMetadata(new TopicPartition(topic, partition), offset, 0, 0, 0, 0);
  }

  private void derive(String key, Struct after) {
    int number = Integer.parseInt(KvKey.fromString(key).lastComponent());
    long revision = ++events;
    String next = after == null ? null : after.getString("name");
    String before = next == null ? derived.remove(key) : derived.put(key, next);
    if (before != null && !before.equals(next)) {
      rows.add(view.delete(before, 0, number, revision));
    }
    if (next != null) {
      rows.add(view.upsert(next, 0, number, revision));
    }
  }

  private void write() {
    List<SinkRecord> batch = rows.subList(written, Math.min(rows.size(), written + BATCH));
    try {
      sink.put(List.copyOf(batch));
      written += batch.size();
    } catch (RetriableException e) {
      refused++;
    }
  }

  private Set<String> derived() {
    Set<String> rowTexts = new TreeSet<>();
    derived.forEach((key, org) -> rowTexts.add(org + " " + key));
    return rowTexts;
  }

  private Set<String> primary() {
    Set<String> rowTexts = new TreeSet<>();
    scan(KvScan.under(People.RECORD_SET.prefix()))
        .forEach(
            record -> {
              String name = People.name(record.value());
              rowTexts.add(name + " " + record.key());
            });
    return rowTexts;
  }

  private Set<String> stored() {
    KvLayout layout = KvLayout.of(view.generation);
    Set<String> rowTexts = new TreeSet<>();
    for (KvRecord record : scan(KvScan.under(new KvKey(layout.parent(), List.of())))) {
      KvPath path = new KvPath(record.key().major(), record.key().minor());
      StoredRow row = layout.row(path, record.value());
      if (!row.deleted()) {
        rowTexts.add(row.key().get("org") + " " + row.primaryKey());
      }
    }
    return rowTexts;
  }

  private List<KvRecord> scan(KvScan scan) {
    List<KvRecord> found = new ArrayList<>();
    application.storeIterator(scan).forEachRemaining(found::add);
    return found;
  }

  private KvStoreSourceConfig sourceConfig() {
    Map<String, String> config = new HashMap<>(registryConfig);
    config.put("source.name", "people-store");
    config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
    config.put("index.dir", directory.resolve("index").toString());
    config.put("kafka.bootstrap.servers", "localhost:9092");
    config.put("scan.interval.ms", "1");
    config.put("scan.max.time.percent", "100");
    config.put("retry.backoff.initial.ms", "1");
    config.put("retry.backoff.max.ms", "5");
    config.put("record.sets", "people");
    config.put("record.set.people.prefix", "/Corporate/people");
    config.put("record.set.people.schema", People.SCHEMA.toString());
    return new KvStoreSourceConfig(config);
  }

  private final class Ports implements SourcePorts {
    @Override
    public KvStore openStore() {
      return store.open();
    }

    @Override
    public ChangeTopicReader openReader(KvRecordSet recordSet) {
      return topic.open();
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(registryConfig);
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return Requests.NONE;
    }
  }
}
