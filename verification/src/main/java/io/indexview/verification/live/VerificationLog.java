package io.indexview.verification.live;

import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.client.poll.SharedPoll;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.Target;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Producer;

/**
 * {@code view-verifications}: what is asked for and what was found; and what others learn of it.
 * Safe for use by several threads. A cancellation has a key of its own, so that a worker that
 * writes at the same time does not undo it.
 *
 * <p>All methods throw {@link org.apache.kafka.common.KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer.
 */
public final class VerificationLog implements AutoCloseable {
  private static final String CANCELLED = "|cancelled";

  private final Map<String, Object> kafka;
  private final Topics topics;
  private final SchemaRegistry registry;
  private final ControlTable<ViewVerification> table;
  private final SharedPoll<Map<String, ViewVerification>> newest;
  private final Producer<byte[], byte[]> producer;
  private final AvroSerializer<GenericRecord> serializer;

  private VerificationLog(Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    this.kafka = kafka;
    this.topics = topics;
    this.registry = registry;
    this.producer = AnswerTimeouts.producer(kafka);
    this.serializer = new AvroSerializer<>(registry, false);
    this.table =
        new ControlTable<>(
            topics.viewVerifications(),
            ControlTable.consumer(AnswerTimeouts.in(kafka)),
            new AvroDeserializer(registry, ControlSchemas.VIEW_VERIFICATION),
            ViewVerification::of);
    this.newest = new SharedPoll<>(table::refresh);
  }

  /**
   * Opens the log on a cluster.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static VerificationLog connect(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    return new VerificationLog(kafka, topics, registry);
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

  /** Verifications of a view. */
  public List<ViewVerification> of(String view) {
    return all().stream().filter(verification -> verification.view().equals(view)).toList();
  }

  void put(ViewVerification verification) {
    write(verification.key(), verification);
    if (verification.status().isOver()) {
      forget(verification.key() + CANCELLED);
    }
  }

  void cancel(ViewVerification verification) {
    write(
        verification.key() + CANCELLED,
        verification.with(Status.CANCELLED, ViewVerification.Run.NONE));
  }

  void forget(ViewVerification verification) {
    forget(verification.key());
    forget(verification.key() + CANCELLED);
  }

  private void write(String key, ViewVerification value) {
    write(topics.viewVerifications(), key, value.toAvro());
  }

  private void forget(String key) {
    write(topics.viewVerifications(), key, null);
  }

  /** Tells the controller of the views what was found. */
  void report(RowsVerified found) {
    write(topics.viewProgress(), found.key(), found.toAvro());
  }

  /**
   * Opens the repairs for a run of a verification.
   *
   * @param generation whose rows are repaired
   * @param serving the generation that serves now
   */
  RepairRequests repairs(
      String verification,
      ServedGeneration generation,
      Supplier<ServedGeneration> serving,
      Clock clock) {
    return new KafkaRepairRequests(
        kafka, topics, this, registry, generation, serving, verification, clock);
  }

  /**
   * Opens the source scans for a run of a verification.
   *
   * @param generation whose sources are to scan
   */
  SourceScans sourceScans(PublishedGeneration generation, Clock clock) {
    return new SourceScans(
        new KafkaSourcePipeline(kafka, topics, this, registry, generation),
        generation.sourceTopic(),
        clock);
  }

  /**
   * Makes sure that no records lie among the rows of a view: they would be unexpected there.
   *
   * @throws io.indexview.client.admin.NotVerifiableException if some may
   */
  void requireApart(ServedGeneration served, Clock clock) {
    if (served.frozen().definition().target() instanceof Target.Kv rows) {
      try (SourceScans scans = sourceScans(served.published(), clock)) {
        scans.requireNoRecordsUnder(rows.prefix());
      }
    }
  }

  /** Asks the sources. */
  void ask(SourceRequest request) {
    write(topics.sourceRequests(), request.key(), request.toAvro());
  }

  /** Asks the tasks. */
  void ask(ViewRepair repair) {
    write(topics.viewRepairs(), repair.key(), repair.toAvro());
  }

  void forgetRepair(String key) {
    write(topics.viewRepairs(), key, null);
  }

  /**
   * @param value null: forget it
   */
  private void write(String topic, String key, GenericRecord value) {
    KafkaAnswers.await(
        producer.send(
            ControlTable.record(
                topic,
                key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : serializer.serialize(topic, value))));
  }

  @Override
  public void close() {
    try (producer) {
      newest.whileNobodyPolls(table::close);
    }
  }
}
