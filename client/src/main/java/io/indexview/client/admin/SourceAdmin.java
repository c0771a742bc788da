package io.indexview.client.admin;

import io.indexview.client.admin.ControlTopicTables.Follower;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PublishedAgain;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Lists and ends the sources of a cluster. Safe for use by several threads. */
public final class SourceAdmin implements SourceCatalog, AutoCloseable {
  private final String topic;
  private final Follower<SourceState> states;
  private final Producer<byte[], byte[]> producer;
  private final ChangeTopics changes;
  private final InstantSource clock;
  private final AvroSerializer<GenericRecord> serializer;

  /** What is asked of primary-change topics. */
  interface ChangeTopics extends AutoCloseable {
    /** Kafka's id of a topic. */
    String id(String topic);

    /** First offset of each partition that is as young as a time, in ms since the epoch. */
    Map<Integer, Long> since(String topic, long timestampMs);

    /** End of each partition. */
    Map<Integer, Long> ends(String topic);

    @Override
    default void close() {}
  }

  /**
   * @param consumer see {@link ControlTable#consumer}; closed with this
   * @param producer closed with this
   * @param changes closed with this
   * @param registry stays open
   */
  SourceAdmin(
      Topics topics,
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      ChangeTopics changes,
      SchemaRegistry registry,
      InstantSource clock) {
    this.changes = changes;
    this.clock = clock;
    this.serializer = new AvroSerializer<>(registry, false);
    this.topic = topics.sourceStates();
    this.producer = producer;
    this.states =
        new Follower<>(
            new ControlTable<>(
                topic,
                consumer,
                new AvroDeserializer(registry, ControlSchemas.SOURCE_STATE),
                SourceState::of));
  }

  /**
   * Opens the administration on a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static SourceAdmin connect(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    return new SourceAdmin(
        topics,
        ControlTable.consumer(AnswerTimeouts.in(kafka)),
        AnswerTimeouts.producer(kafka),
        new KafkaChangeTopics(AnswerTimeouts.in(kafka)),
        registry,
        InstantSource.system());
  }

  @Override
  public List<SourceStatus> list() {
    Collection<SourceState> all = states.read().newest().values();
    return all.stream()
        .map(SourceState::topic)
        .distinct()
        .sorted()
        .flatMap(fed -> TopicSources.of(all, fed).bySource().values().stream())
        .map(SourceStatus::of)
        .toList();
  }

  @Override
  public void retire(String source) {
    Map<String, SourceState> all = states.read().newest();
    List<String> keys =
        all.entrySet().stream()
            .filter(state -> state.getValue().source().equals(source))
            .map(Map.Entry::getKey)
            .toList();
    if (keys.isEmpty()) {
      throw new SourceNotFoundException(
          source,
          new TreeSet<>(
              all.values().stream()
                  .filter(state -> !state.isOfOperator())
                  .map(SourceState::source)
                  .toList()));
    }
    keys.stream().map(this::bury).toList().forEach(KafkaAnswers::await);
  }

  @Override
  public PublishedAgain publishedAgain(String changesTopic, Instant since) {
    Instant now = clock.instant();
    if (since.isAfter(now)) {
      throw new IllegalArgumentException(
          "since: %s is to come; tell it when everything is published".formatted(since));
    }
    TopicSources sources = TopicSources.of(states.read().newest().values(), changesTopic);
    if (!sources.isEmpty()) {
      throw new IllegalArgumentException(
          "source %s answers for topic %s: have it publish every record again (views rebuild VIEW --from snapshot), or retire it"
              .formatted(sources.bySource().keySet().iterator().next(), changesTopic));
    }
    PublishedAgain published =
        new PublishedAgain(
            changesTopic,
            changes.id(changesTopic),
            since.toEpochMilli(),
            now.toEpochMilli(),
            changes.since(changesTopic, since.toEpochMilli()),
            changes.ends(changesTopic));
    KafkaAnswers.await(
        producer.send(
            ControlTable.record(
                topic,
                published.key().getBytes(StandardCharsets.UTF_8),
                serializer.serialize(topic, published.toAvro()))));
    return published;
  }

  private Future<RecordMetadata> bury(String key) {
    return producer.send(ControlTable.record(topic, key.getBytes(StandardCharsets.UTF_8), null));
  }

  @Override
  public void close() {
    try (producer;
        changes) {
      states.close();
    }
  }

  /** Topics on a cluster. Thread-safe: callers wait for each other. */
  private static final class KafkaChangeTopics implements ChangeTopics {
    private final Admin admin;
    private final Consumer<byte[], byte[]> reader;
    private final GroupProgress progress;

    KafkaChangeTopics(Map<String, Object> settings) {
      this.admin = Admin.create(settings);
      this.reader = ControlTable.consumer(settings);
      this.progress = new GroupProgress(admin, reader);
    }

    @Override
    public String id(String topic) {
      return KafkaAnswers.await(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
          .topicId()
          .toString();
    }

    @Override
    public synchronized Map<Integer, Long> since(String topic, long timestampMs) {
      return byPartition(progress.since(List.of(topic), timestampMs));
    }

    @Override
    public synchronized Map<Integer, Long> ends(String topic) {
      return byPartition(progress.ends(List.of(topic)));
    }

    private static Map<Integer, Long> byPartition(Map<TopicPartition, Long> offsets) {
      return offsets.entrySet().stream()
          .collect(Collectors.toMap(offset -> offset.getKey().partition(), Map.Entry::getValue));
    }

    @Override
    public synchronized void close() {
      try (admin) {
        reader.close();
      }
    }
  }

  /** Thrown for a source of which nothing is known. */
  public static final class SourceNotFoundException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param known the sources that there are
     */
    public SourceNotFoundException(String source, Collection<String> known) {
      super(
          "There is no source \"%s\"; %s"
              .formatted(
                  source,
                  known.isEmpty()
                      ? "none has spoken yet"
                      : "the sources are " + String.join(", ", known.stream().sorted().toList())));
    }
  }
}
