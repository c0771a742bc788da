package io.indexview.verification.live;

import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.control.ViewRepair.Repaired;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.ViewRow;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the tasks of the streams app on {@code view-repairs}; they answer on view-progress. */
final class KafkaRepairRequests implements RepairRequests {
  private static final Logger LOGGER = LoggerFactory.getLogger(KafkaRepairRequests.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration STANDSTILL = Duration.ofMinutes(2);

  /** A record of the topic takes a megabyte. */
  private static final int MAX_BATCH_BYTES = 400_000;

  private static final int BYTES_PER_RECORD = 30;

  /** Size of an unexpected row: its digest, and what JSON takes. */
  private static final int BYTES_PER_UNEXPECTED = 100;

  private final VerificationLog log;
  private final Map<String, Object> settings;
  private final Topics topics;
  private final SchemaRegistry registry;
  private final ServedGeneration generation;
  private final Supplier<ServedGeneration> serving;
  private final String verification;
  private final Clock clock;
  private final String repair = UUID.randomUUID().toString();
  private final CompiledView view;
  private final TopicPartition progress;
  private final Consumer<byte[], byte[]> reader;
  private final AvroDeserializer reports;
  private final List<String> asked = new ArrayList<>();
  private final Set<Integer> silent = new TreeSet<>();
  private int partitions;
  private boolean isPrepared;
  private boolean awaitsState;
  private long deadline;

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param log stays open
   * @param registry stays open
   * @param generation whose rows they are
   * @param serving the generation that serves now
   */
  KafkaRepairRequests(
      Map<String, Object> kafka,
      Topics topics,
      VerificationLog log,
      SchemaRegistry registry,
      ServedGeneration generation,
      Supplier<ServedGeneration> serving,
      String verification,
      Clock clock) {
    this.log = log;
    this.settings = AnswerTimeouts.in(kafka);
    this.topics = topics;
    this.registry = registry;
    this.serving = serving;
    this.generation = generation;
    this.verification = verification;
    this.clock = clock;
    this.view = CompiledView.compile(generation.frozen(), generation.frozen().recordSet().schema());
    this.progress = new TopicPartition(topics.viewProgress(), Topics.CONTROL_PARTITION);
    this.reports = new AvroDeserializer(registry, ControlSchemas.VIEW_PROGRESS);
    this.reader = ControlTable.consumer(settings);
  }

  @Override
  public void begin(long wrong) {
    prepare();
    log.report(
        new RowsVerified(
            generation.published().view(),
            generation.published().generation(),
            verification,
            wrong,
            clock.millis()));
    awaitsState = true;
    moved();
  }

  private void prepare() {
    if (!isPrepared) {
      forgetEarlierTries();
      reader.assign(List.of(progress));
      reader.seekToEnd(List.of(progress));
      // The consumer asks for the end only now.
      reader.position(progress);
      isPrepared = true;
    }
  }

  /** A worker that died may have left some, of this verification or of one before. */
  private void forgetEarlierTries() {
    String prefix = ViewRepair.prefix(generation.published().view());
    try (ControlTable<ViewRepair> table =
        new ControlTable<>(
            topics.viewRepairs(),
            ControlTable.consumer(settings),
            new AvroDeserializer(registry, ControlSchemas.VIEW_REPAIR),
            ViewRepair::of)) {
      table.refresh().keySet().stream()
          .filter(key -> key.startsWith(prefix))
          .forEach(log::forgetRepair);
    }
  }

  private void moved() {
    deadline = System.nanoTime() + STANDSTILL.toNanos();
  }

  @Override
  public void remove(List<UnexpectedRow> rows) {
    prepare();
    expectAll();
    batches(rows, row -> BYTES_PER_UNEXPECTED + 3 * row.id().length())
        .forEach(batch -> put(List.of(), batch));
    moved();
  }

  private void expectAll() {
    List<PartitionInfo> tasks = reader.partitionsFor(generation.published().viewTopic());
    tasks.forEach(task -> silent.add(task.partition()));
    partitions = tasks.size();
    awaitsState = false;
  }

  @Override
  public void ask(List<WrongRow> rows) {
    expectAll();
    batches(records(rows), KafkaRepairRequests::size).forEach(batch -> put(batch, List.of()));
    moved();
  }

  /**
   * Splits items into batches, in their order: at least one, and each of no more bytes than a
   * record of the topic takes.
   */
  private static <T> List<List<T>> batches(List<T> items, ToIntFunction<T> size) {
    List<List<T>> batches = new ArrayList<>();
    List<T> batch = new ArrayList<>();
    int bytes = 0;
    for (T item : items) {
      int itemBytes = size.applyAsInt(item);
      if (!batch.isEmpty() && bytes + itemBytes > MAX_BATCH_BYTES) {
        batches.add(batch);
        batch = new ArrayList<>();
        bytes = 0;
      }
      batch.add(item);
      bytes += itemBytes;
    }
    batches.add(batch);
    return batches;
  }

  private void put(List<Repaired> batch, List<UnexpectedRow> unexpected) {
    ViewRepair wanted =
        new ViewRepair(
            generation.published().view(),
            generation.published().generation(),
            verification,
            repair,
            asked.size(),
            partitions,
            batch,
            unexpected);
    asked.add(wanted.key());
    log.ask(wanted);
  }

  private static int size(Repaired record) {
    return BYTES_PER_RECORD
        + 3 * record.primaryKey().length()
        + record.extraRows().stream().mapToInt(KafkaRepairRequests::size).sum();
  }

  private static int size(byte[] key) {
    return key.length + Integer.BYTES;
  }

  private List<Repaired> records(List<WrongRow> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                WrongRow::primaryKey, LinkedHashMap::new, Collectors.toUnmodifiableList()))
        .entrySet()
        .stream()
        .flatMap(record -> record(record.getKey(), record.getValue()).stream())
        .toList();
  }

  private List<Repaired> record(String primaryKey, List<WrongRow> rows) {
    return parts(
        primaryKey,
        rows.stream().mapToLong(row -> row.revision().orElse(0)).max().orElse(0),
        rows.stream()
            .flatMap(row -> row.extra().stream())
            .flatMap(key -> key(key, primaryKey).stream())
            .toList());
  }

  /**
   * One as a rule, more where a batch does not take all extra rows of a record. No two of them are
   * in one batch, of which a task would know the last alone.
   */
  static List<Repaired> parts(String primaryKey, long above, List<byte[]> extraRows) {
    return batches(extraRows, KafkaRepairRequests::size).stream()
        .map(part -> new Repaired(primaryKey, above, part))
        .toList();
  }

  /** Empty for a row that the app can never have derived. */
  private Optional<byte[]> key(Map<String, Object> fields, String primaryKey) {
    try {
      ViewRow row = new ViewRow(view.keyBody(fields, primaryKey), new byte[0]);
      return Optional.of(row.key(generation.published().schemas().key()));
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "Verification {}: a row of record {} has a key that the app cannot have written, and stays;"
              + " remove it in the target",
          verification,
          primaryKey,
          e);
      return Optional.empty();
    }
  }

  @Override
  public boolean isDone() {
    boolean isDone = awaitsState ? isShown() : hasEverybodyAnswered();
    if (!isDone && System.nanoTime() > deadline) {
      throw new TimeoutException(
          awaitsState
              ? "the view did not become DEGRADED within %d s: does a streams app run that can be its controller?"
                  .formatted(STANDSTILL.toSeconds())
              : "the tasks of partitions %s of record set %s did not write the rows anew within %d s: see that the streams app runs all of them, in the server's release, and that none takes an ad-hoc snapshot in; if the view's reason names one of the partitions, rebuild the view"
                  .formatted(silent, generation.published().recordSet(), STANDSTILL.toSeconds()));
    }
    return isDone;
  }

  private boolean isShown() {
    ViewState state = serving.get().state();
    return state.state() == ViewState.State.DEGRADED && state.reason().contains(verification);
  }

  private boolean hasEverybodyAnswered() {
    for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
      if (message.value() != null) {
        take(message);
      }
    }
    return silent.isEmpty();
  }

  private void take(ConsumerRecord<byte[], byte[]> message) {
    try {
      RepairProgress.of(reports.deserialize(message.topic(), message.value()))
          .filter(report -> report.repair().equals(repair) && report.batch() == asked.size() - 1)
          .ifPresent(
              report -> {
                silent.remove(report.partition());
                moved();
              });
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      LOGGER.warn(
          "Record {}@{} cannot be read and is ignored; if verification {} waits for repairs,"
              + " upgrade all instances of the app and the server to one version",
          progress,
          message.offset(),
          verification,
          e);
    }
  }

  @Override
  public void close() {
    try (reader) {
      asked.forEach(log::forgetRepair);
    }
  }
}
