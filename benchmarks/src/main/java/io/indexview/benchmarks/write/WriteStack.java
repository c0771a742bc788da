package io.indexview.benchmarks.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.indexview.benchmarks.app.BrokerCommand;
import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.RequestCounts;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.StoredValues;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.server.IndexviewServer;
import io.indexview.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A broker in a process of its own, an embedded store and a server in this one, and what a source
 * and the streams app would have said of the record set.
 */
final class WriteStack implements AutoCloseable {
  private static final String REGISTRY = "bench-write";
  private static final int PARTITIONS = 4;
  private static final String PREFIX = "/Corporate/people";
  private static final String FORMAT = "avro";

  private final TemporaryDirectory directory;
  private final SchemaRegistry registry = InMemorySchemaRegistry.shared(REGISTRY);
  private final RequestCounts counts = new RequestCounts();
  private final BenchStore files;
  private final ChildJvm broker;
  private final String bootstrap;
  private final KvStore store;
  private final Producer<byte[], byte[]> producer;
  private final Writer writer;
  private final IndexviewServer server;

  private WriteStack(
      TemporaryDirectory directory, ChildJvm broker, String bootstrap, KvDurability durability)
      throws Exception {
    this.directory = directory;
    this.broker = broker;
    this.bootstrap = bootstrap;
    this.files = new BenchStore(directory.path());
    this.store = counts.counted(files.open(durability));
    Map<String, Object> settings = new HashMap<>(kafka());
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    this.producer =
        new KafkaProducer<>(
            Writer.producerSettings(settings),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    describe();
    this.writer =
        Writer.connect(
            store,
            new WriterConfig(
                People.NAME,
                KvKey.fromString(PREFIX),
                People.TOPIC,
                WriterConfig.DEFAULT_INCARNATION,
                "bench",
                WriterConfig.DEFAULT_MAX_IN_FLIGHT),
            ValueEncoder.avro(People.SCHEMA),
            kafka(),
            registry);
    this.server =
        IndexviewServer.start(
            ServerConfig.parse(
                Map.of(
                    "bootstrap.servers",
                    bootstrap,
                    "schema.registry.url",
                    "mock://" + REGISTRY,
                    "kvstore.uri",
                    files.uri(),
                    "record.sets",
                    People.NAME,
                    "record.set." + People.NAME + ".prefix",
                    PREFIX,
                    "http.port",
                    "0")),
            store,
            null,
            IndexViewReaders.avroRecordsIn(store));
  }

  /**
   * @param parent of the directory for everything; null: the system's
   */
  static WriteStack start(Path parent, KvDurability durability) throws Exception {
    TemporaryDirectory directory = TemporaryDirectory.in(parent);
    ChildJvm broker = null;
    try {
      broker = BrokerCommand.start(directory.path(), System.getProperty("java.class.path"));
      return new WriteStack(directory, broker, broker.line(), durability);
    } catch (Exception e) {
      if (broker != null) {
        broker.close();
      }
      directory.close();
      throw e;
    }
  }

  /** Publishes descriptions, as the streams app and the source of the record set do. */
  private void describe() throws Exception {
    try (Admin admin = Admin.create(kafka())) {
      admin
          .createTopics(
              List.of(new NewTopic(People.TOPIC, Optional.of(PARTITIONS), Optional.empty())))
          .all()
          .get();
    }
    String schema = People.SCHEMA.toString();
    RecordSetInfo info =
        new RecordSetInfo(
            People.NAME,
            People.TOPIC,
            PARTITIONS,
            "envelope",
            List.of(),
            schema,
            "indexview",
            Set.of(),
            Set.of(),
            System.currentTimeMillis());
    say(People.TOPICS.recordSets(), People.NAME, info.toAvro());
    SourceState state =
        new SourceState(
            "people-store",
            People.TOPIC,
            Optional.empty(),
            People.NAME,
            1,
            Optional.empty(),
            Optional.empty(),
            System.currentTimeMillis(),
            OptionalLong.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new StoredValues(FORMAT, schema, Map.of())),
            Optional.empty(),
            Optional.empty());
    say(People.TOPICS.sourceStates(), state.key(), state.toAvro());
  }

  private void say(String topic, String key, GenericRecord record) throws Exception {
    byte[] value = new AvroSerializer<GenericRecord>(registry, false).serialize(topic, record);
    producer
        .send(new ProducerRecord<>(topic, Topics.CONTROL_PARTITION, key.getBytes(UTF_8), value))
        .get();
  }

  Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", bootstrap);
  }

  SchemaRegistry registry() {
    return registry;
  }

  RequestCounts counts() {
    return counts;
  }

  KvStore store() {
    return store;
  }

  /** Waits for nothing before it sends, and for all replicas then, as the writer's. */
  Producer<byte[], byte[]> producer() {
    return producer;
  }

  Writer writer() {
    return writer;
  }

  IndexviewServer server() {
    return server;
  }

  @Override
  public void close() throws Exception {
    server.close();
    writer.close();
    producer.close();
    store.close();
    broker.close();
    directory.close();
  }
}
