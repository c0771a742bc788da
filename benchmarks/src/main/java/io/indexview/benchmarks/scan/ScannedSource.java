package io.indexview.benchmarks.scan;

import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.People;
import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.source.KvStoreSourceSession;
import io.indexview.connect.kvstore.source.SourcePorts;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A kvstore source with an index of its own that scans a store without rest. What it publishes is
 * serialized and acknowledged at once, as a worker does whose broker costs nothing. For one thread.
 */
final class ScannedSource implements AutoCloseable {
  private static final Map<String, String> REGISTRY = Map.of("schema.registry.url", "mock://scan");

  private final MemoryTopic topic = new MemoryTopic();
  private final AvroConverter converter = new AvroConverter();
  private final KvStoreSourceSession session;
  private long scans;
  private long published;

  /**
   * @param index directory for the index
   */
  ScannedSource(BenchStore store, Path index) {
    converter.configure(REGISTRY, false);
    Map<String, String> config =
        Map.ofEntries(
            Map.entry("schema.registry.url", REGISTRY.get("schema.registry.url")),
            Map.entry("source.name", "scan"),
            Map.entry("kvstore.uri", store.uri()),
            Map.entry("index.dir", index.toString()),
            // Changes that are followed would stand for scans.
            Map.entry("capture.mode", "scan"),
            Map.entry("scan.interval.ms", "1"),
            Map.entry("scan.max.time.percent", "100"),
            Map.entry("kafka.bootstrap.servers", "none:9092"),
            Map.entry("record.sets", People.NAME),
            Map.entry("record.set.people.prefix", "/Corporate/people"),
            Map.entry("record.set.people.schema", People.SCHEMA.toString()));
    this.session =
        new KvStoreSourceSession(
            new KvStoreSourceConfig(config),
            List.of(People.NAME),
            new Ports(store, topic),
            partition -> null,
            Time.SYSTEM);
  }

  /** Lets one whole scan run; returns how many records it saw. */
  long scan() throws InterruptedException {
    while (true) {
      List<SourceRecord> records = session.poll();
      if (records == null) {
        continue;
      }
      long seen = -1;
      for (SourceRecord record : records) {
        seen = Math.max(seen, acknowledge(record));
      }
      if (seen >= 0) {
        return seen;
      }
    }
  }

  /** Events that were published so far. */
  long published() {
    return published;
  }

  /** Returns what a newly completed scan saw; -1: the record does not tell of one. */
  private long acknowledge(SourceRecord record) {
    if (!record.topic().equals(People.TOPIC)) {
      session.acknowledged(record, metadata(record.topic(), 0));
      return completed((Struct) record.value());
    }
    byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
    byte[] value = converter.fromConnectData(People.TOPIC, record.valueSchema(), record.value());
    published++;
    long offset = topic.append(key, value, System.currentTimeMillis());
    session.acknowledged(record, metadata(People.TOPIC, offset));
    return -1;
  }

  private static RecordMetadata metadata(String topic, long offset) {
    return new RecordMetadata(new TopicPartition(topic, 0), offset, 0, 0, 0, 0);
  }

  private long completed(Struct state) {
    Struct scan = state.getStruct("lastScan");
    if (scan == null || scan.getInt64("number") == scans) {
      return -1;
    }
    scans = scan.getInt64("number");
    return scan.getInt64("records");
  }

  @Override
  public void close() {
    session.close();
    converter.close();
  }

  private record Ports(BenchStore store, MemoryTopic topic) implements SourcePorts {
    @Override
    public KvStore openStore() {
      return store.open(KvDurability.WRITE_NO_SYNC);
    }

    @Override
    public ChangeTopicReader openReader(KvRecordSet recordSet) {
      return topic;
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(REGISTRY);
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return Requests.NONE;
    }
  }

  /**
   * A topic of one partition, read by one reader from its start, that keeps an event until it was
   * read: what a scan costs is seen without a broker, and in little memory.
   */
  private static final class MemoryTopic implements ChangeTopicReader {
    /** Events that a consumer hands out at once. */
    private static final int MAX_POLL_EVENTS = 500;

    private static final int PARTITION = 0;

    private static final String ID = "memory";

    private final Queue<LoggedEvent> unread = new ArrayDeque<>();
    private long end;
    private long position;

    /** Returns the offset. */
    long append(byte[] key, byte[] value, long timestampMs) {
      unread.add(new LoggedEvent(PARTITION, end, timestampMs, key, value));
      return end++;
    }

    @Override
    public Bounds bounds() {
      return new Bounds(ID, Map.of(PARTITION, 0L), Map.of(PARTITION, end));
    }

    @Override
    public Optional<String> idSince(long moment) {
      return Optional.of(ID);
    }

    @Override
    public void seek(Map<Integer, Long> positions) {
      if (positions.get(PARTITION) != position) {
        throw new IllegalStateException("offset %s was read before".formatted(positions));
      }
    }

    @Override
    public List<LoggedEvent> poll(Duration timeout) {
      List<LoggedEvent> events = new ArrayList<>();
      while (events.size() < MAX_POLL_EVENTS && !unread.isEmpty()) {
        events.add(unread.remove());
      }
      position += events.size();
      return events;
    }

    @Override
    public Map<Integer, Long> positions() {
      return Map.of(PARTITION, position);
    }

    @Override
    public void close() {}
  }
}
