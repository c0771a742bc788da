package io.indexview.streams.topology;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.FailedEvents.EventFailedException;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.task.ControlMap;
import io.indexview.streams.task.GenerationReader;
import io.indexview.streams.task.RecordSetTask;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TaskStores;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.streams.topology.IndexViewTopology.Names;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka Streams revives a corrupted task with the same processor. */
class RecordSetProcessorTest {
  private static final Names NAMES =
      new Names("people", "records-people", "builds-people", "replay-people");
  private static final int RECORDS = 3;
  private static final long SKIPPED = 1_000;
  private static final Duration MAX_TIME = Duration.ofSeconds(10);

  private final InMemorySchemaRegistry registry =
      InMemorySchemaRegistry.shared(UUID.randomUUID().toString());
  private final People people = new People(registry);
  private final AppMetrics metrics = new AppMetrics();
  private final Map<String, byte[]> generations = new TreeMap<>();
  private final List<String> rows = new ArrayList<>();
  private final List<DeadLetterReason> deadLetters = new ArrayList<>();
  private final List<TaskProgress> reports = new ArrayList<>();
  private final List<EventsLost> losses = new ArrayList<>();
  private final MockProcessorContext<Object, byte[]> context = new MockProcessorContext<>();
  private final KeyValueStore<Bytes, byte[]> records = store(NAMES.store(), Serdes.Bytes());
  private final KeyValueStore<String, byte[]> builds = store(NAMES.builds(), Serdes.String());
  private final FailedEvents failedEvents = new FailedEvents(Clock.systemUTC());
  private final EarlyCommits earlyCommits =
      new EarlyCommits(Duration.ofMillis(20), Duration.ofMillis(100));
  private final ManualClock clock = new ManualClock();
  private final RegistryWait registryWait = new RegistryWait(new StopSignal());
  private final TrimmedEvents trimmed = new TrimmedEvents();
  private final RecordSetProcessor processor =
      new RecordSetProcessor(
          partition -> trimmed.forget(new TopicPartition(People.TOPIC, partition)),
          Map.of(0, Set.of(SKIPPED)),
          failedEvents,
          registryWait,
          MAX_TIME,
          clock,
          () -> new ScanLimiter(Duration.ZERO, clock),
          () -> earlyCommits,
          unused -> task());
  private Runnable meanwhile = () -> {};
  private long nowMs = 10_000;
  private boolean poisoned;
  private long sequence;

  private <K> KeyValueStore<K, byte[]> store(String name, Serde<K> keys) {
    KeyValueStore<K, byte[]> store =
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), keys, Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    store.init(context.getStateStoreContext(), store);
    context.addStateStore(store);
    return store;
  }

  private RecordSetTask task() {
    return new RecordSetTask(
        new TaskLocation("people", People.TOPIC, RecordFormat.ENVELOPE, 0),
        true,
        new TaskServices(
            new DeriverServices(
                registry, registryWait, new OrderGuard(Duration.ofDays(15)), metrics, clock),
            new GenerationReader(registry),
            (topicId, partition, offset) -> true,
            topic -> Optional.empty(),
            generation -> "",
            unused -> new CompletableFuture<>(),
            failedEvents,
            trimmed,
            new RefusingTopics(topic -> true, Clock.systemUTC())),
        new TaskStores(
            StreamsStores.entries(records),
            new InMemoryEntries(),
            StreamsStores.memory(builds),
            new ControlMap(generations),
            (since, visitor) -> since,
            (since, visitor) -> since),
        new Output(),
        "changelog",
        new Topics("indexview"),
        1_000_000,
        Duration.ofDays(1),
        () -> 0);
  }

  private final class Output implements TaskOutput {
    @Override
    public void row(
        FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
      if (poisoned) {
        throw new IllegalStateException("a bug");
      }
      meanwhile.run();
      rows.add(generation.view());
    }

    @Override
    public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
      deadLetters.add(problem);
    }

    @Override
    public void report(EventsLost loss) {
      losses.add(loss);
    }

    @Override
    public void report(PurgeProgress progress) {
      // Nobody waits for it here.
    }

    @Override
    public void report(RepairProgress progress) {
      // Likewise.
    }

    @Override
    public void report(TaskProgress progress) {
      reports.add(progress);
    }
  }

  @BeforeEach
  void start() {
    context.setCurrentSystemTimeMs(nowMs);
    context.setCurrentStreamTimeMs(nowMs);
    processor.init(context);
    for (int i = 0; i < RECORDS; i++) {
      context.setRecordMetadata(People.TOPIC, 0, i);
      processor.process(
          new Record<>(
              ("/p/" + i).getBytes(StandardCharsets.UTF_8),
              people.upsert(1, person("Ann", "org" + i, 30)),
              nowMs));
    }
    nanosPass(20);
    scheduled().stream()
        .filter(punctuator -> punctuator.getInterval().toMillis() == 20)
        .forEach(punctuator -> punctuator.getPunctuator().punctuate(nowMs));
    context.resetCommit();
  }

  private void publish() {
    PublishedGeneration generation = people.published(People.generation(People.BY_ORG));
    generations.put(
        generation.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize("view-generations", generation.toAvro()));
  }

  private List<MockProcessorContext.CapturedPunctuator> scheduled() {
    return context.scheduledPunctuators().stream()
        .filter(punctuator -> !punctuator.cancelled())
        .toList();
  }

  private void passTime() {
    nowMs += 10_000;
    scheduled().forEach(punctuator -> punctuator.getPunctuator().punctuate(nowMs));
  }

  private List<KeyValue<String, byte[]>> remembered() {
    List<KeyValue<String, byte[]>> all = new ArrayList<>();
    try (KeyValueIterator<String, byte[]> entries = builds.all()) {
      entries.forEachRemaining(all::add);
    }
    return all;
  }

  private void rollBackTo(List<KeyValue<String, byte[]>> committed) {
    remembered().forEach(entry -> builds.delete(entry.key));
    builds.putAll(committed);
    rows.clear();
    reports.clear();
  }

  @Test
  void buildsAndReportsAgainWhatWasRolledBackWhenItsTaskIsRevived() {
    List<KeyValue<String, byte[]>> committed = remembered();
    publish();
    passTime();
    passTime();
    assertThat(rows).hasSizeBetween(1, RECORDS - 1);
    assertThat(scheduled()).hasSize(2);

    processor.close();
    assertThat(scheduled()).isEmpty();
    rollBackTo(committed);
    processor.init(context);
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }

    assertThat(rows).hasSize(RECORDS);
    assertThat(reports.get(reports.size() - 1).phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(reports.get(reports.size() - 1).done()).isEqualTo(RECORDS);
    assertThat(scheduled()).hasSize(1);
  }

  @Test
  void leavesALossToTheTaskThatTheEventsComeTo() {
    trimmed.found(new TopicPartition(People.TOPIC, 0), 5, 9);
    processor.close();
    processor.init(context);
    passTime();
    assertThat(losses).isEmpty();

    trimmed.found(new TopicPartition(People.TOPIC, 0), 5, 9);
    passTime();
    assertThat(losses).hasSize(1);
  }

  private List<Long> intervals() {
    return scheduled().stream().map(one -> one.getInterval().toMillis()).sorted().toList();
  }

  @Test
  void looksOnceASecondWhereNothingIsUnderWay() {
    assertThat(intervals()).containsExactly(100L);
    passTime();
    assertThat(intervals()).containsExactly(1_000L);

    publish();
    passTime();
    assertThat(intervals()).containsExactly(1L, 100L);
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }
    assertThat(intervals()).containsExactly(1_000L);
  }

  @Test
  void passesOverAnEventThatFailsAgainAndCountsItsRecord() {
    publish();
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }
    poisoned = true;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> process(RECORDS, "/p/0", 2))
          .isInstanceOf(EventFailedException.class);
      processor.close();
      processor.init(context);
      assertThat(deadLetters).isEmpty();
    }

    process(RECORDS, "/p/0", 2);
    poisoned = false;
    process(RECORDS + 1, "/p/1", 2);
    passTime();

    assertThat(deadLetters)
        .singleElement()
        .matches(one -> one.reason().contains("IllegalStateException at "));
    assertThat(reports.get(reports.size() - 1).failedRecords()).isEqualTo(1);
    assertThat(reports.get(reports.size() - 1).rows()).isEqualTo(RECORDS);

    process(RECORDS + 2, "/p/0", 3);
    passTime();
    assertThat(reports.get(reports.size() - 1).failedRecords()).isZero();
  }

  @Test
  void stepsOverAnEventThatAnOperatorNames() {
    publish();
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }
    poisoned = true;
    process((int) SKIPPED, "/p/0", 2);
    poisoned = false;
    process((int) SKIPPED + 1, "/p/1", 2);
    passTime();

    assertThat(deadLetters).singleElement().matches(one -> one.reason().contains("skip.events"));
    assertThat(losses)
        .singleElement()
        .matches(loss -> loss.reason().contains("offset " + SKIPPED + " of partition 0"));
    assertThat(reports.get(reports.size() - 1).failedRecords()).isZero();
  }

  private void comesAgain(Runnable whileItIsProcessed) {
    meanwhile = whileItIsProcessed;
    sequence++;
    context.setRecordMetadata(People.TOPIC, 0, RECORDS);
    processor.process(
        new Record<>(
            "/p/0".getBytes(StandardCharsets.UTF_8),
            people.upsert(1 + sequence, person("Ann", "other" + sequence, 30)),
            nowMs));
    meanwhile = () -> {};
    processor.close();
    processor.init(context);
  }

  /** Its transaction is aborted without an exception here, each time anew. */
  @Test
  void passesOverAnEventThatTakesLongerThanItsTransactionMay() {
    publish();
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }
    Runnable slow = () -> clock.pass(MAX_TIME);
    Runnable waiting =
        () -> {
          slow.run();
          AtomicInteger tries = new AtomicInteger();
          registryWait.get(
              () -> {
                if (tries.getAndIncrement() == 0) {
                  throw new RegistryException.Unavailable("down", null);
                }
                return "there again";
              });
        };
    comesAgain(() -> clock.pass(MAX_TIME.dividedBy(3)));
    comesAgain(waiting);
    comesAgain(waiting);
    comesAgain(slow);
    comesAgain(slow);
    assertThat(deadLetters).isEmpty();

    comesAgain(slow);
    assertThat(deadLetters)
        .singleElement()
        .matches(one -> one.reason().contains("20 s, which is longer than a transaction"));
  }

  private void process(long offset, String key, long sequence) {
    context.setRecordMetadata(People.TOPIC, 0, offset);
    processor.process(
        new Record<>(
            key.getBytes(StandardCharsets.UTF_8),
            people.upsert(sequence, person("Ann", "other" + offset, 30)),
            nowMs));
  }

  private void nanosPass(long millis) {
    clock.pass(Duration.ofMillis(millis));
  }

  @Test
  void asksForACommitWhenAnEventComesAWhileAfterTheFirst() {
    process(RECORDS, "/p/0", 2);
    nanosPass(19);
    process(RECORDS + 1, "/p/1", 2);
    assertThat(context.committed()).isFalse();

    nanosPass(1);
    process(RECORDS + 2, "/p/2", 2);
    assertThat(context.committed()).isTrue();
    assertThat(intervals()).containsExactly(100L);
  }

  @Test
  void asksForACommitWhenNoOtherEventComes() {
    process(RECORDS, "/p/0", 2);
    assertThat(intervals()).containsExactly(20L, 100L);
    nanosPass(10);
    passTime();
    assertThat(context.committed()).isFalse();
    nanosPass(10);
    passTime();
    assertThat(context.committed()).isTrue();
    assertThat(intervals()).containsExactly(1_000L);

    context.resetCommit();
    nanosPass(1_000);
    passTime();
    assertThat(context.committed()).isFalse();
  }

  @Test
  void leavesNoCommitToATaskThatIsClosed() {
    process(RECORDS, "/p/0", 2);
    processor.close();
    assertThat(earlyCommits.isOpen()).isFalse();

    nanosPass(1);
    processor.init(context);
    process(RECORDS, "/p/0", 2);
    assertThat(intervals()).containsExactly(20L, 100L);
    nanosPass(19);
    passTime();
    assertThat(context.committed()).isFalse();
    nanosPass(1);
    passTime();
    assertThat(context.committed()).isTrue();
  }

  @Test
  void leavesCommitsToTheIntervalWhileThereIsMuchToDo() {
    publish();
    for (int i = 0; i < 2 * RECORDS; i++) {
      passTime();
    }
    context.resetCommit();
    meanwhile = () -> nanosPass(3);
    for (int i = 0; i < 20; i++) {
      nanosPass(1);
      process(RECORDS + i, "/p/0", 2 + i);
    }
    assertThat(context.committed()).isFalse();
    assertThat(intervals()).doesNotContain(20L);
  }
}
