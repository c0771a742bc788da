package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * One contestant, as its process is told of it.
 *
 * @param id its consumer group, and what its topics begin with
 * @param bootstrap of the broker
 * @param views what it derives
 * @param settings of the streams app, or Flink's, beside their defaults
 * @param directory for its state
 */
public record Entrant(
    Kind kind,
    String id,
    String bootstrap,
    ViewSet views,
    Map<String, String> settings,
    Path directory) {
  public static final int PARTITIONS = 4;

  /** All have as many threads as the app has by default. */
  public static final int THREADS = 2;

  /** Ways to derive rows. */
  public enum Kind {
    /** A processor of Kafka Streams with its defaults, exactly once, without any guard. */
    PLAIN,
    /**
     * The processor of {@link #PLAIN}, but bytes are compared and copied, and the clients are
     * tuned.
     */
    TUNED,
    /** The streams app, flat values. */
    APP_FLAT,
    /** The streams app, envelopes with versions; of 100 events two come twice and two late. */
    APP_ENVELOPE,
    /** The streams app without transactions, flat values: what exactly once costs. */
    APP_AT_LEAST_ONCE,
    /** Consumers and transactional producers alone, the state in a map. */
    LIMIT,
    /** Flink SQL, its state in a map, at least once. */
    FLINK_HEAP,
    /** Flink SQL, its state in a map, exactly once. */
    FLINK_HEAP_EXACTLY_ONCE,
    /** Flink SQL, its state in RocksDB, at least once. */
    FLINK_ROCKSDB,
    /** Flink SQL, its state in RocksDB, exactly once. */
    FLINK_ROCKSDB_EXACTLY_ONCE;

    /**
     * {@code app-flat}.
     *
     * @throws IllegalArgumentException saying what there is
     */
    static Kind of(String text) {
      return Arrays.stream(values())
          .filter(kind -> kind.toString().equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "\"%s\": there are %s".formatted(text, Arrays.toString(values()))));
    }

    boolean isApp() {
      return this == APP_FLAT || this == APP_ENVELOPE || this == APP_AT_LEAST_ONCE;
    }

    boolean isFlink() {
      return this == FLINK_HEAP
          || this == FLINK_HEAP_EXACTLY_ONCE
          || this == FLINK_ROCKSDB
          || this == FLINK_ROCKSDB_EXACTLY_ONCE;
    }

    RecordFormat format() {
      return this == APP_ENVELOPE ? RecordFormat.ENVELOPE : RecordFormat.FLAT;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private Topics topics() {
    return new Topics(id);
  }

  /** Topic of the events. */
  public String changes() {
    return topics().changes(People.NAME);
  }

  /** What is derived. */
  public List<ViewGeneration> generations() {
    return views.generations();
  }

  /** A reader of the committed rows of views, with all partitions assigned. */
  KafkaConsumer<byte[], byte[]> committedRows(List<ViewGeneration> of) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                10_000),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(
        of.stream()
            .flatMap(
                view ->
                    IntStream.range(0, PARTITIONS)
                        .mapToObj(number -> new TopicPartition(viewTopic(view), number)))
            .toList());
    return consumer;
  }

  /** Topic of the rows of a view. */
  public String viewTopic(ViewGeneration view) {
    return topics().view("kv", view.view(), view.number());
  }

  String progress() {
    return topics().viewProgress();
  }

  /** Starts deriving in this process. */
  AutoCloseable start() throws Exception {
    return switch (kind) {
      case PLAIN, TUNED -> PlainStreams.start(this);
      case APP_FLAT, APP_ENVELOPE, APP_AT_LEAST_ONCE -> ShippedApp.start(this);
      case LIMIT -> RawClients.start(this);
      case FLINK_HEAP, FLINK_HEAP_EXACTLY_ONCE, FLINK_ROCKSDB, FLINK_ROCKSDB_EXACTLY_ONCE ->
          throw new IllegalStateException(kind + " is a program of its own");
    };
  }

  /** Keeps what the process must find again should it be killed. */
  void save() throws IOException {
    if (kind.isApp()) {
      ShippedApp.saveRegistry(this);
    }
  }
}
