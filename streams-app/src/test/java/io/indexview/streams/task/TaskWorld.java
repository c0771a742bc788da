package io.indexview.streams.task;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewRepair;
import io.indexview.schemas.fixtures.SuppliedTime;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.FlakyRegistry;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.state.MapMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/**
 * A task and all that is around it: what is committed together is kept, and everything since the
 * last commit is lost when the task is killed, as in a transaction.
 */
final class TaskWorld {
  static final String PROGRESS = "indexview.view-progress";
  static final String CHANGELOG = "app-records-people-changelog";

  static final int PARTITION = 3;

  final FlakyRegistry registry = new FlakyRegistry();
  private final FailedEvents failedEvents = new FailedEvents(Clock.systemUTC());

  long nowMs = 10_000;
  private final SuppliedTime time = new SuppliedTime(() -> nowMs);
  final RefusingTopics refusing = new RefusingTopics(topic -> true, time);

  /** What the consumer could not read any more. */
  final TrimmedEvents trimmed = new TrimmedEvents();

  final People people = new People(registry);
  final AppMetrics metrics = new AppMetrics();

  /** Committed, in order: {@link Row}, {@link TaskProgress}, {@link DeadLetterReason}. */
  final List<Object> log = new ArrayList<>();

  /** What the process has read of view-generations. */
  final Map<String, byte[]> generations = new TreeMap<>();

  /** What the process has read of source-states. */
  final Map<String, byte[]> sourceStates = new TreeMap<>();

  /** What the process has read of view-repairs. */
  final Map<String, byte[]> repairs = new TreeMap<>();

  /** Keys of rows that stand only somewhere else, as the task was told. */
  final Set<ByteBuffer> extraRows = new HashSet<>();

  /** Kills the task when it puts out this many things more; negative: never. */
  int outputsUntilCrash = -1;

  boolean poisoned;

  /** Of the next task that starts. */
  boolean hasSource = true;

  /** What reads the events of the next task that starts. */
  EventReader reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);

  /** What tells the next task that starts which topics there are. */
  TaskServices.TopicIdentity topics = this::idOf;

  final WorldTopic topic = new WorldTopic(PARTITION);

  static final Duration RETENTION = Duration.ofDays(15);

  /** Record time of the task; tombstones expire by it. */
  long streamTimeMs = -1;

  /** Whether the state was restored from its changelog. */
  boolean restored;

  /** Of the topic that there is; null: nobody knows. */
  String topicId = "topic-1";

  String progressId = "progress-1";
  String changelogId = "changelog-1";

  /** Of the topic that sources say they looked at; null: they do not tell. */
  String scannedAt = "topic-1";

  /** The keys that sources say they answer for; null: they do not tell. */
  KeyScope scope = new KeyScope("/p", null);

  int scanned;

  private final Saved committed = new Saved();
  private Saved current;
  private RecordSetTask task;
  private boolean inEvent;

  /**
   * A row as it was published.
   *
   * @param processed how many events were processed before
   * @param byEvent whether an event did it
   */
  record Row(
      FrozenGeneration generation,
      byte[] key,
      byte[] value,
      long revision,
      long timestampMs,
      int processed,
      boolean byEvent) {}

  /** What a transaction holds. */
  private static final class Saved {
    private InMemoryEntries entries = new InMemoryEntries();
    private InMemoryEntries copy = new InMemoryEntries();
    private final Map<String, byte[]> memory = new LinkedHashMap<>();
    private final List<Object> output = new ArrayList<>();
    private int position;

    void become(Saved other) {
      entries = new InMemoryEntries(other.entries);
      copy = new InMemoryEntries(other.copy);
      memory.clear();
      memory.putAll(other.memory);
      position = other.position;
    }
  }

  TaskWorld() {
    start();
  }

  private void start() {
    Saved saved = new Saved();
    saved.become(committed);
    current = saved;
    task =
        new RecordSetTask(
            new TaskLocation("people", People.TOPIC, RecordFormat.ENVELOPE, PARTITION),
            hasSource,
            new TaskServices(
                new DeriverServices(
                    registry,
                    new RegistryWait(new StopSignal()),
                    new OrderGuard(RETENTION),
                    metrics,
                    time,
                    location -> reader),
                new GenerationReader(registry),
                (id, partition, offset) -> topic.offset(committed.position) >= offset,
                topics,
                generation -> restored ? "" : "waits for the changelog",
                unused -> topic.open(committed.position),
                failedEvents,
                trimmed,
                refusing),
            new TaskStores(
                new CountingEntries(saved.entries, () -> scanned++),
                saved.copy,
                new MapMemory(saved.memory),
                new ControlMap(generations),
                new ControlMap(sourceStates),
                new ControlMap(repairs)),
            new Output(saved),
            CHANGELOG,
            new Topics("indexview"),
            1_000_000,
            RETENTION,
            () -> streamTimeMs);
  }

  Optional<String> idOf(String topicName) {
    return Optional.ofNullable(
        switch (topicName) {
          case CHANGELOG -> changelogId;
          case PROGRESS -> progressId;
          default -> topicId;
        });
  }

  void publish(PublishedGeneration generation) {
    generations.put(
        generation.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize("view-generations", generation.toAvro()));
  }

  void ask(ViewRepair repair) {
    repair.records().stream()
        .flatMap(record -> record.extraRows().stream())
        .map(ByteBuffer::wrap)
        .forEach(extraRows::add);
    repairs.put(
        repair.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize("view-repairs", repair.toAvro()));
  }

  /** Where the topic ends. */
  long end() {
    return topic.end();
  }

  /** A source partition of a source says that it has published everything again. */
  void adHocSnapshot(
      String source,
      String sourcePartition,
      int sourcePartitions,
      long startedAtMs,
      long begin,
      long end) {
    SourceState.Scan scan =
        new SourceState.Scan(
            1,
            startedAtMs,
            nowMs,
            1,
            true,
            1,
            Optional.ofNullable(scope),
            Map.of(PARTITION, begin),
            Map.of(PARTITION, end));
    say(source, sourcePartition, sourcePartitions, Optional.of(scan));
  }

  /** A source partition of a source says that it is there, and of its last ad-hoc snapshot. */
  void say(
      String source,
      String sourcePartition,
      int sourcePartitions,
      Optional<SourceState.Scan> adHoc) {
    SourceState state =
        new SourceState(
            source,
            People.TOPIC,
            Optional.ofNullable(scannedAt),
            sourcePartition,
            sourcePartitions,
            Optional.empty(),
            adHoc,
            nowMs);
    sourceStates.put(
        state.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize("source-states", state.toAvro()));
  }

  /** An event arrives on the topic; {@link #processNext} processes it. */
  void event(String key, Op op, long sequence, GenericRecord person) {
    event(
        key.getBytes(StandardCharsets.UTF_8), people.event(op, People.versioned(sequence), person));
  }

  void event(byte[] key, byte[] value) {
    topic.add(key, value, nowMs, WorldTopic.Fate.NORMAL);
  }

  /** The task processes an event that is not on the topic: its state is wrong from then on. */
  void phantom(String key, Op op, long sequence, GenericRecord person) {
    byte[] value = people.event(op, People.versioned(sequence), person);
    topic.add(key.getBytes(StandardCharsets.UTF_8), value, nowMs, WorldTopic.Fate.PHANTOM);
  }

  /** The task misses an event that is on the topic. */
  void missed(String key, Op op, long sequence, GenericRecord person) {
    byte[] value = people.event(op, People.versioned(sequence), person);
    topic.add(key.getBytes(StandardCharsets.UTF_8), value, nowMs, WorldTopic.Fate.MISSED);
  }

  boolean processNext() {
    if (current.position == topic.size()) {
      return false;
    }
    topic
        .noticed(current.position)
        .ifPresent(
            change -> {
              inEvent = true;
              task.process(change, nowMs);
              inEvent = false;
            });
    current.position++;
    return true;
  }

  void processAll() {
    while (processNext()) {
      nowMs++;
    }
  }

  void poll() {
    nowMs += 100;
    task.poll(nowMs);
  }

  /** Works on a source partition of the state; false if there was nothing to do. */
  boolean work(int records) {
    boolean hadTo = task.hasWork();
    int[] left = {records};
    task.work(() -> --left[0] <= 0, nowMs);
    return hadTo;
  }

  /** Takes what is published and does all there is to do. */
  /** What is committed of what the task remembers, by key. */
  Map<String, byte[]> memory() {
    return Map.copyOf(committed.memory);
  }

  void settle() {
    processAll();
    commit();
    poll();
    while (work(3)) {
      nowMs++;
      if (!task.hasWork()) {
        poll();
      }
    }
    nowMs += 10_000;
    poll();
    commit();
  }

  void commit() {
    log.addAll(current.output);
    current.output.clear();
    committed.become(current);
  }

  /** Kills the task; what stands in its place takes what is published. */
  void setAside() {
    task.close();
    current = new Saved();
    current.become(committed);
    SetAsideTask inPlace =
        new SetAsideTask(
            new TaskLocation("people", People.TOPIC, RecordFormat.ENVELOPE, PARTITION),
            registry,
            new MapMemory(current.memory),
            new ControlMap(generations),
            new Output(current),
            time);
    inPlace.poll(nowMs);
    commit();
  }

  /** Kills the task and starts it where the last commit was; what is not logged is gone. */
  void crash() {
    outputsUntilCrash = -1;
    restart(new InMemoryEntries());
  }

  /** Ends the task in order and starts it again, perhaps where it was before. */
  void restart(InMemoryEntries copy) {
    task.close();
    committed.copy = copy;
    inEvent = false;
    start();
  }

  /** What is not logged, as it was committed last. */
  InMemoryEntries copy() {
    return committed.copy;
  }

  /** The state of a record; null if there is none. */
  Entry entry(String key) {
    byte[] encoded = current.entries.get(key.getBytes(StandardCharsets.UTF_8));
    return encoded == null ? null : EntryCodec.decode(encoded);
  }

  /**
   * Makes the state of a record something else.
   *
   * @param entry null: nothing
   */
  void corrupt(String key, Entry entry) {
    byte[] encoded = entry == null ? null : EntryCodec.encode(entry);
    current.entries.put(key.getBytes(StandardCharsets.UTF_8), encoded);
    commit();
  }

  /** Puts something into what a task will remember. */
  void remember(String key, byte[] value) {
    committed.memory.put(key, value);
  }

  /** By which a task remembers ad-hoc snapshots. */
  List<String> rememberedSnapshots() {
    return committed.memory.keySet().stream().filter(key -> key.startsWith("snapshot|")).toList();
  }

  /** The topic is deleted and created again; the task has done all that came of the one before. */
  void createTopicAnew() {
    topic.clear();
    current.position = 0;
    committed.position = 0;
  }

  /** What was committed of one kind. */
  <T> List<T> logged(Class<T> kind) {
    return log.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The last committed report on a generation. */
  TaskProgress report(String view, int generation) {
    return logged(TaskProgress.class).stream()
        .filter(report -> report.view().equals(view) && report.generation() == generation)
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private final class Output implements TaskOutput {
    private final Saved saved;

    Output(Saved saved) {
      this.saved = saved;
    }

    private void put(Object output) {
      if (outputsUntilCrash-- == 0) {
        throw new CrashException();
      }
      saved.output.add(output);
    }

    @Override
    public void row(
        FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
      if (poisoned) {
        throw new IllegalStateException("a bug");
      }
      put(new Row(generation, key, value, revision, timestampMs, saved.position, inEvent));
    }

    @Override
    public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
      put(problem);
    }

    @Override
    public void report(TaskProgress progress) {
      put(progress);
    }

    @Override
    public void report(EventsLost loss) {
      put(loss);
    }

    @Override
    public void report(PurgeProgress progress) {
      put(progress);
    }

    @Override
    public void report(RepairProgress progress) {
      put(progress);
    }
  }
}
