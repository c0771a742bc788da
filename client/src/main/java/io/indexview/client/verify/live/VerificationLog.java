package io.indexview.client.verify.live;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.client.poll.SharedPoll;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * {@code view-verifications}: what is asked for and what was found. Safe for use by several
 * threads. A cancellation has a key of its own, so that a worker that writes at the same time does
 * not undo it.
 *
 * <p>All methods throw {@link org.apache.kafka.common.KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer.
 */
public final class VerificationLog implements AutoCloseable {
  private static final String CANCELLED = "|cancelled";
  private static final int ANSWER_MS = 15_000;

  private final String topic;
  private final ControlTable<ViewVerification> table;
  private final SharedPoll<Map<String, ViewVerification>> newest;
  private final Producer<byte[], byte[]> producer;
  private final AvroSerializer<GenericRecord> serializer;

  /**
   * @param consumer see {@link ControlTable#consumer}; closed with this
   * @param producer closed with this
   * @param registry stays open
   */
  VerificationLog(
      Topics topics,
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      SchemaRegistry registry) {
    this.topic = topics.viewVerifications();
    this.producer = producer;
    this.serializer = new AvroSerializer<>(registry, false);
    this.table =
        new ControlTable<>(
            topic,
            consumer,
            new AvroDeserializer(registry, ControlSchemas.VIEW_VERIFICATION),
            ViewVerification::of);
    this.newest = new SharedPoll<>(table::refresh);
  }

  /**
   * On a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static VerificationLog connect(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MS);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MS);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ANSWER_MS);
    return new VerificationLog(
        topics,
        ControlTable.consumer(AnswerTimeouts.in(kafka)),
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()),
        registry);
  }

  /** All that are known, the newest first; one that is to be cancelled shows as that. */
  public List<ViewVerification> all() {
    Map<String, ViewVerification> records = newest.now();
    List<ViewVerification> all = new ArrayList<>();
    records.forEach(
        (key, verification) -> {
          if (key.equals(verification.key())) {
            boolean isCancelled = records.containsKey(key + CANCELLED);
            all.add(
                isCancelled && !verification.status().isOver()
                    ? verification.with(Status.CANCELLED, verification.run())
                    : verification);
          }
        });
    all.sort(
        Comparator.comparingLong(ViewVerification::requestedAtMs)
            .thenComparing(ViewVerification::id)
            .reversed());
    return all;
  }

  /** Those of a view. */
  public List<ViewVerification> of(String view) {
    return all().stream().filter(verification -> verification.view().equals(view)).toList();
  }

  void put(ViewVerification verification) {
    write(verification.key(), verification);
    if (verification.status().isOver()) {
      write(verification.key() + CANCELLED, null);
    }
  }

  void cancel(ViewVerification verification) {
    write(
        verification.key() + CANCELLED,
        verification.with(Status.CANCELLED, ViewVerification.Run.NONE));
  }

  void forget(ViewVerification verification) {
    write(verification.key(), null);
    write(verification.key() + CANCELLED, null);
  }

  /**
   * @param value null: forget it
   */
  private void write(String key, ViewVerification value) {
    KafkaAnswers.await(
        producer.send(
            ControlTable.record(
                topic,
                key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : serializer.serialize(topic, value.toAvro()))));
  }

  @Override
  public void close() {
    try (producer) {
      newest.whileNobodyPolls(table::close);
    }
  }
}
