package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.fixtures.SuppliedTime;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.controller.actions.ActionContext;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Actions;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.actions.FreshnessWatch;
import io.indexview.streams.controller.actions.ObservedTopics;
import io.indexview.streams.controller.actions.RecordSetWatch;
import io.indexview.streams.controller.actions.SteadyLog;
import io.indexview.streams.controller.actions.StrayTopics;
import io.indexview.streams.controller.actions.TopicWatch;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.FakeCluster;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.task.GenerationReader;
import io.indexview.streams.task.RecordSetTask;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TaskStores;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.views.definition.RecordSet;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process does for 100 record sets of 12 partitions with 10 views each: all tasks and the
 * controller in one thread, on brokers that answer from memory. Prints processor time, and counts;
 * of these alone anything is demanded.
 */
@ExhaustiveTier
class ManyViewsIT {
  private static final Logger LOGGER = LoggerFactory.getLogger(ManyViewsIT.class);
  private static final int RECORD_SETS = 100;
  private static final int VIEWS_EACH = 10;
  private static final int PARTITIONS = 12;
  private static final int RECORDS_EACH = 20;
  private static final int SECONDS = 60;
  private static final String DEAD_LETTERS = "indexview.dead-letters.kv";
  private static final long START_MS = 2_000_000_000_000L;

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final People people = new People(registry);
  private final AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
  private final ControlTopic generations = new ControlTopic("view-generations");
  private final ControlTopic sourceStates = new ControlTopic("source-states");
  private final FakeCluster cluster = new FakeCluster();
  private final SteadyLog brokers = new SteadyLog();
  private final Map<String, PublishedGeneration> published = new LinkedHashMap<>();
  private final Map<String, SourceState> sources = new HashMap<>();
  private final GenerationReader reader = new GenerationReader(registry);
  private final List<RecordSetTask> tasks = new ArrayList<>();
  private final Set<String> built = new HashSet<>();

  /** Partitions that were written since this was emptied. */
  private final Set<TopicPartition> written = new HashSet<>();

  private long nowMs = START_MS;

  private final SuppliedTime clock = new SuppliedTime(() -> nowMs);

  private static final class Memory implements TaskMemory {
    private final Map<String, byte[]> values = new TreeMap<>();

    @Override
    public byte[] get(String key) {
      return values.get(key);
    }

    @Override
    public void forEach(BiConsumer<String, byte[]> visitor) {
      values.forEach(visitor);
    }

    @Override
    public void put(String key, byte[] value) {
      if (value == null) {
        values.remove(key);
      } else {
        values.put(key, value);
      }
    }
  }

  private final class Output implements TaskOutput {
    private final int partition;

    private Output(int partition) {
      this.partition = partition;
    }

    @Override
    public void row(
        FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
      written.add(new TopicPartition(generation.viewTopic(), partition));
    }

    @Override
    public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
      throw new AssertionError(problem.toString());
    }

    @Override
    public void report(TaskProgress progress) {
      if (progress.phase() == TaskProgress.Phase.BUILT) {
        built.add(progress.key());
      }
    }

    @Override
    public void report(EventsLost loss) {
      throw new AssertionError(loss.toString());
    }

    @Override
    public void report(PurgeProgress progress) {
      throw new AssertionError(progress.toString());
    }

    @Override
    public void report(RepairProgress progress) {
      throw new AssertionError(progress.toString());
    }
  }

  private static String name(int recordSet) {
    return "set%03d".formatted(recordSet);
  }

  private static String topic(int recordSet) {
    return "indexview.changes." + name(recordSet);
  }

  @BeforeEach
  void create() {
    topic(DEAD_LETTERS, 1);
    for (int i = 0; i < RECORD_SETS; i++) {
      topic(topic(i), PARTITIONS);
      topic("indexview-records-" + name(i) + "-changelog", PARTITIONS);
      topic("indexview-builds-" + name(i) + "-changelog", PARTITIONS);
      say(i);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        tasks.add(task(i, partition));
      }
    }
  }

  private void topic(String name, int partitions) {
    cluster.add(name, partitions);
    brokers.create(name, partitions);
  }

  /** A heartbeat of the source of a record set. */
  private void say(int recordSet) {
    SourceState state =
        new SourceState(
            "kv",
            topic(recordSet),
            Optional.of("id of " + topic(recordSet)),
            "0",
            1,
            Optional.empty(),
            Optional.empty(),
            nowMs);
    sourceStates.put(state.key(), serializer.serialize("source-states", state.toAvro()));
    sources.put(state.key(), state);
  }

  private RecordSetTask task(int recordSet, int partition) {
    return new RecordSetTask(
        new TaskLocation(name(recordSet), topic(recordSet), RecordFormat.ENVELOPE, partition),
        true,
        new TaskServices(
            new DeriverServices(
                registry,
                new RegistryWait(new StopSignal()),
                new OrderGuard(Duration.ofDays(15)),
                new AppMetrics(),
                clock),
            reader,
            (topicId, of, offset) -> true,
            topic -> Optional.of("id of " + topic),
            generation -> "",
            unused -> new CompletableFuture<>(),
            new FailedEvents(Clock.systemUTC()),
            new TrimmedEvents(),
            new RefusingTopics(topic -> true, Clock.systemUTC())),
        new TaskStores(
            new InMemoryEntries(),
            new InMemoryEntries(),
            new Memory(),
            generations,
            sourceStates,
            (since, visitor) -> since),
        new Output(partition),
        "changelog",
        new Topics("indexview"),
        1_000_000,
        Duration.ofDays(15),
        () -> nowMs);
  }

  private void publishAll() {
    for (int i = 0; i < RECORD_SETS; i++) {
      RecordSet recordSet =
          new RecordSet(name(i), topic(i), RecordFormat.ENVELOPE, List.of(), People.SCHEMA);
      for (int view = 0; view < VIEWS_EACH; view++) {
        String yaml =
            "name: view%d-%s\nsource: %s\nkey: [org, age]\ninclude: [name]\ntarget: kv\nlayout: key-value\n"
                .formatted(view, name(i), name(i));
        PublishedGeneration one = people.published(People.generation(yaml, 1, recordSet));
        published.put(one.key(), one);
        topic(one.viewTopic(), PARTITIONS);
        generations.put(one.key(), serializer.serialize("view-generations", one.toAvro()));
      }
    }
  }

  /** One event of each task. */
  private void events(int number) {
    byte[] event = people.upsert(1 + number, People.person("Ann", "org" + number, number));
    for (int i = 0; i < tasks.size(); i++) {
      byte[] key = ("/p/" + number).getBytes(StandardCharsets.UTF_8);
      tasks
          .get(i)
          .process(
              new ChangeRecord(topic(i / PARTITIONS), i % PARTITIONS, number, nowMs, key, event),
              nowMs);
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void print(String what, Object figure) {
    LOGGER.info("{}: {}", what, figure);
  }

  private static String ms(long nanos) {
    return "%.1f ms".formatted(nanos / 1e6);
  }

  @Test
  void carriesAThousandViews() {
    for (int i = 0; i < RECORDS_EACH; i++) {
      events(i);
    }
    publishAll();
    int views = published.size();
    print(
        "views, record sets, tasks, partitions of views",
        views + ", " + RECORD_SETS + ", " + tasks.size() + ", " + views * PARTITIONS);

    long ready = build() + check();
    print("processor time until the last view may be READY", ms(ready));
    long idleTasks = idleTasks();
    print("tasks at rest, processor time a second", ms(idleTasks / SECONDS));
    idleController();
    written.clear();
    events(RECORDS_EACH);
    print("partitions that an event of each task writes", written.size());
    assertThat(written).hasSize(views * PARTITIONS);
    transactions();
  }

  /** Builds all views in all tasks, one after the other. */
  private long build() {
    long began = cpuNanos();
    tasks.forEach(task -> task.poll(nowMs));
    long taken = cpuNanos();
    for (RecordSetTask task : tasks) {
      while (task.hasWork()) {
        task.work(() -> false, nowMs);
      }
      task.poll(nowMs);
    }
    assertThat(built).hasSize(published.size() * PARTITIONS);
    assertThat(tasks).noneMatch(RecordSetTask::isUnderWay);
    print("processor time to take the generations, all tasks", ms(taken - began));
    print(
        "processor time to build them, %d records a task".formatted(RECORDS_EACH),
        ms(cpuNanos() - taken));
    return cpuNanos() - began;
  }

  /** A second of all tasks, one read each; each source says every ten seconds that it is there. */
  private long idleTasks() {
    long spent = 0;
    for (int second = 0; second < SECONDS; second++) {
      nowMs += 1_000;
      for (int i = second % 10; i < RECORD_SETS; i += 10) {
        say(i);
      }
      long began = cpuNanos();
      tasks.forEach(task -> task.poll(nowMs));
      spent += cpuNanos() - began;
    }
    return spent;
  }

  private ActionContext context() {
    Map<String, String> config = new HashMap<>();
    config.put("bootstrap.servers", "127.0.0.1:1");
    config.put("schema.registry.url", "mock://many");
    List<String> sets = new ArrayList<>();
    for (int i = 0; i < RECORD_SETS; i++) {
      sets.add(name(i));
      config.put("record.set." + name(i) + ".topic", topic(i));
      config.put("record.set." + name(i) + ".complete", "topic");
    }
    config.put("record.sets", String.join(",", sets));
    config.put("state.dir", "state");
    return new ActionContext(
        AppConfig.parse(config),
        cluster,
        new ObservedTopics(cluster, () -> sources),
        brokers,
        new ActionContext.Tables(
            () -> published, Map::of, () -> sources, Map::of, Map::of, () -> {}),
        clock);
  }

  private ActionRunner runner(ActionContext context, boolean watches) {
    AppTopics appTopics =
        new AppTopics(context.topics(), List.of(DEAD_LETTERS), 1 << 20, Map.of(), Map.of());
    List<Activity> all = new ArrayList<>();
    FreshnessWatch freshness = new FreshnessWatch(context);
    if (watches) {
      all.add(freshness);
      all.addAll(RecordSetWatch.all(context, registry));
      all.add(new StrayTopics(context));
      all.add(new TopicWatch(context, appTopics));
      cluster.createMissing(appTopics.written());
    }
    return new ActionRunner(new Actions(context, null, appTopics, registry, freshness), clock, all);
  }

  private Map<String, Action> actions(boolean ready) {
    Map<String, Action> wanted = new LinkedHashMap<>();
    for (PublishedGeneration one : published.values()) {
      Action.Watched watched = new Action.Watched(one, "kv");
      Action.Watch watch = new Action.Watch(watched, DeadLetterPosition.NONE, List.of());
      Action action = ready ? new Action.CheckReady(watch, 1) : watch;
      wanted.put(action.id(), action);
    }
    return wanted;
  }

  /** What the controller asks before the views are READY. */
  private long check() {
    ActionRunner runner = runner(context(), false);
    Map<String, Action> wanted = actions(true);
    List<Finding> found = new ArrayList<>();
    brokers.questions = 0;
    long began = cpuNanos();
    runner.run(wanted, found);
    long spent = cpuNanos() - began;
    assertThat(found).hasSize(wanted.size()).allMatch(Finding.Done.class::isInstance);
    print("controller, READY checks: processor time", ms(spent));
    print("controller, READY checks: questions of offsets, one after the other", brokers.questions);
    return spent;
  }

  private void idleController() {
    ActionRunner runner = runner(context(), true);
    Map<String, Action> wanted = actions(false);
    List<Finding> found = new ArrayList<>();
    long first = cpuNanos();
    runner.run(wanted, found);
    print("controller, first round of all watches", ms(cpuNanos() - first));
    brokers.questions = 0;
    brokers.reads = 0;
    long until = nowMs + SECONDS * 1_000L;
    long began = cpuNanos();
    while (nowMs < until) {
      nowMs += Math.max(1, Math.min(200, runner.run(wanted, found).toMillis()));
    }
    print("controller at rest, processor time a second", ms((cpuNanos() - began) / SECONDS));
    print("controller at rest, questions of offsets a second", brokers.questions / SECONDS);
    assertThat(brokers.reads).isZero();
    assertThat(brokers.questions / SECONDS).isLessThan(RECORD_SETS);

    brokers.grow(DEAD_LETTERS);
    nowMs += 5_000;
    began = cpuNanos();
    runner.run(wanted, found);
    print("controller, one dead letter: processor time", ms(cpuNanos() - began));
    print("controller, one dead letter: reads of the topic", brokers.reads);
    assertThat(brokers.reads).isOne();
  }

  private void transactions() {
    Map<String, Object> settings = StreamsSettings.of(context().config(), "many-views");
    Object interval = settings.get(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG);
    long perSecond = 1_000 / ((Number) interval).longValue();
    int batch =
        ((Number) settings.get(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG)))
            .intValue();
    long memory =
        ((Number) settings.get(StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG)))
            .longValue();
    // Each task writes two changelogs beside its rows.
    int partitions = written.size() + 2 * tasks.size();
    print(
        "markers a second, all partitions in each transaction of %s ms".formatted(interval),
        partitions * perSecond);
    print("open batches of a thread's producer before it waits for memory", memory / batch);
    print(
        "threads that have memory for a batch of each partition",
        partitions / (memory / batch) + 1);
  }
}
