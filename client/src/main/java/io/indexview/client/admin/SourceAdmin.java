package io.indexview.client.admin;

import io.indexview.client.admin.ControlTopics.Follower;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The sources that an installation knows, and the end of those that are gone for ever: a record set
 * is complete only when all its sources say so. Safe for use by many threads.
 *
 * <p>All methods throw {@link KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer.
 */
public final class SourceAdmin implements AutoCloseable {
  private static final int ANSWER_MS = 15_000;

  private final String topic;
  private final Follower<SourceState> states;
  private final Producer<byte[], byte[]> producer;

  /**
   * @param consumer see {@link ControlTable#consumer}; closed with this
   * @param producer closed with this
   * @param registry stays open
   */
  SourceAdmin(
      Topics topics,
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      SchemaRegistry registry) {
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
   * On a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static SourceAdmin connect(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MS);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MS);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ANSWER_MS);
    return new SourceAdmin(
        topics,
        ControlTable.consumer(AnswerTimeouts.in(kafka)),
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
        registry);
  }

  /** What every source says of every topic it feeds, by topic, then source. */
  public List<SourceStatus> list() {
    Collection<SourceState> all = states.read().values();
    return all.stream()
        .map(SourceState::topic)
        .distinct()
        .sorted()
        .flatMap(fed -> TopicSources.of(all, fed).bySource().values().stream())
        .map(SourceStatus::of)
        .toList();
  }

  /**
   * Forgets what a source said of all its topics: what it has is not waited for any more. One that
   * still runs is known again as soon as it says something.
   *
   * @throws SourceNotFoundException if nothing is known of it
   */
  public void retire(String source) {
    Map<String, SourceState> all = states.read();
    List<String> keys =
        all.entrySet().stream()
            .filter(state -> state.getValue().source().equals(source))
            .map(Map.Entry::getKey)
            .toList();
    if (keys.isEmpty()) {
      throw new SourceNotFoundException(
          source, new TreeSet<>(all.values().stream().map(SourceState::source).toList()));
    }
    keys.stream().map(this::bury).toList().forEach(KafkaAnswers::await);
  }

  private Future<RecordMetadata> bury(String key) {
    return producer.send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), null));
  }

  @Override
  public void close() {
    try (producer) {
      states.close();
    }
  }
}
