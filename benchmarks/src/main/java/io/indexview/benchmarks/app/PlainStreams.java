package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** One processor of Kafka Streams with the last event of each key in RocksDB, exactly once. */
final class PlainStreams {
  private static final String STORE = "last-events";

  private PlainStreams() {}

  /** Returns when all tasks run. */
  static AutoCloseable start(Entrant entrant) throws InterruptedException {
    boolean isTuned = entrant.kind() == Entrant.Kind.TUNED;
    Map<String, Object> settings = new HashMap<>(isTuned ? tuning() : Map.of());
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, entrant.id());
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, entrant.bootstrap());
    settings.put(StreamsConfig.STATE_DIR_CONFIG, entrant.directory().resolve("state").toString());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Entrant.THREADS);
    CountDownLatch runs = new CountDownLatch(1);
    KafkaStreams streams = new KafkaStreams(topology(entrant), new StreamsConfig(settings));
    streams.setUncaughtExceptionHandler(
        failure -> {
          failure.printStackTrace();
          Runtime.getRuntime().halt(1);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    streams.setStateListener(
        (now, before) -> {
          if (now == KafkaStreams.State.RUNNING) {
            runs.countDown();
          }
        });
    streams.start();
    runs.await();
    return streams;
  }

  /** What the streams app has, too. */
  private static Map<String, Object> tuning() {
    return Map.of(
        StreamsConfig.POLL_MS_CONFIG,
        10,
        StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG),
        "lz4",
        StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG),
        64 << 10,
        StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG),
        64L << 20,
        StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG),
        20,
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.FETCH_MAX_BYTES_CONFIG),
        16 << 20);
  }

  private static Topology topology(Entrant entrant) {
    SchemaRegistry registry = registry(entrant);
    List<String> topics = entrant.generations().stream().map(entrant::viewTopic).toList();
    Topology topology = new Topology();
    topology.addSource(
        AutoOffsetReset.earliest(),
        "events",
        Serdes.ByteArray().deserializer(),
        Serdes.ByteArray().deserializer(),
        entrant.changes());
    topology.addProcessor(
        "rows", () -> new RowProcessor(rowMaker(entrant, registry), topics.size()), "events");
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray()),
        "rows");
    for (int i = 0; i < topics.size(); i++) {
      topology.addSink(
          RowProcessor.sink(i),
          topics.get(i),
          Serdes.ByteArray().serializer(),
          Serdes.ByteArray().serializer(),
          "rows");
    }
    return topology;
  }

  /** A registry that knows the schema of the events. */
  static SchemaRegistry registry(Entrant entrant) {
    SchemaRegistry registry = new InMemorySchemaRegistry();
    registry.register(Subjects.value(entrant.changes()), People.SCHEMA);
    return registry;
  }

  private static RowMaker rowMaker(Entrant entrant, SchemaRegistry registry) {
    return entrant.kind() == Entrant.Kind.TUNED
        ? new SliceRows(entrant, registry)
        : new RecordRows(entrant, registry);
  }

  private static final class RowProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    private final RowMaker maker;
    private final String[] sinks;
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;

    RowProcessor(RowMaker maker, int views) {
      this.maker = maker;
      this.sinks = new String[views];
      for (int i = 0; i < views; i++) {
        sinks[i] = sink(i);
      }
    }

    static String sink(int view) {
      return "view-" + view;
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
      context = processorContext;
      store = processorContext.getStateStore(STORE);
    }

    @Override
    public void process(Record<byte[], byte[]> event) {
      Bytes key = Bytes.wrap(event.key());
      long offset = context.recordMetadata().orElseThrow().offset();
      maker.derive(
          event.key(),
          store.get(key),
          event.value(),
          offset,
          (view, rowKey, rowValue) ->
              context.forward(new Record<>(rowKey, rowValue, event.timestamp()), sinks[view]));
      store.put(key, event.value());
    }
  }
}
