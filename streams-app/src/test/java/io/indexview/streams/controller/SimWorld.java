package io.indexview.streams.controller;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;

/** Everything that the controller of the views lives among, on one thread, by one random seed. */
final class SimWorld {
  static final int PARTITIONS = 2;
  static final List<String> VIEWS = List.of("v0", "v1", "v2", "v3");
  private static final int KEYS = 8;

  final Random random;
  final Map<String, SimSource> sources = new TreeMap<>();
  final List<SimTask> tasks = new ArrayList<>();
  final Map<String, SimSink> sinks = new TreeMap<>();

  /** The last one holds the lease; those before do not know that they lost it. */
  final List<SimController> controllers = new ArrayList<>();

  final Checks checks = new Checks(this);
  final BrokenRule broken;

  // What is committed
  final Map<String, GenericRecord> memory = new TreeMap<>();
  final List<Finding> findingsCommitted = new ArrayList<>();
  long epoch;

  final List<SpecRecord> specs = new ArrayList<>();
  final List<Object> progress = new ArrayList<>();
  final List<StateRecord> states = new ArrayList<>();
  private final Map<String, ViewState> newestStates = new HashMap<>();
  final Map<String, PublishedGeneration> generations = new TreeMap<>();
  final Map<String, SimTopic> topics = new TreeMap<>();
  final Map<String, ViewGeneration> frozen = new HashMap<>();

  final SimUser user = new SimUser(this);
  long nowMs = 1_000_000;

  /** Whether verifications find wrong rows, or none. */
  boolean verifies;

  /** Nothing crashes or repeats any more. */
  boolean calm;

  /**
   * @param spec null: dropped
   */
  record SpecRecord(String view, ViewSpec spec) {}

  /**
   * @param state null: a tombstone
   */
  record StateRecord(String view, ViewState state) {}

  SimWorld(long seed, BrokenRule broken) {
    random = new Random(seed);
    this.broken = broken;
    for (String recordSet : List.of("people", "pets")) {
      SimSource source = new SimSource(recordSet, PARTITIONS);
      sources.put(recordSet, source);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        tasks.add(new SimTask(this, source, partition));
      }
    }
    sinks.put("kv", new SimSink(this, "kv"));
    sinks.put("dynamodb", new SimSink(this, "dynamodb"));
    takeOver();
    for (int i = 0; i < 2 * KEYS; i++) {
      change();
    }
  }

  SimSink sink(String target) {
    return sinks.get(target);
  }

  SimTask task(String recordSet, int partition) {
    return tasks.stream()
        .filter(task -> task.source.recordSet.equals(recordSet) && task.partition == partition)
        .findFirst()
        .orElseThrow();
  }

  /** Generations whose sink missed deletions. */
  final Set<String> behind = new TreeSet<>();

  /** When record set people was last published again. */
  long wholeMs = -1;

  void tell(TaskProgress report) {
    checks.reported(report);
    progress.add(report);
  }

  void tell(PurgeProgress report) {
    progress.add(report);
  }

  /** Whether all tasks have told that they are done with an ad-hoc snapshot that began then. */
  boolean isPurged(String recordSet, long beganMs) {
    return IntStream.range(0, PARTITIONS)
        .allMatch(
            partition ->
                progress.stream()
                    .filter(PurgeProgress.class::isInstance)
                    .map(PurgeProgress.class::cast)
                    .filter(report -> report.recordSet().equals(recordSet))
                    .filter(report -> report.partition() == partition)
                    .anyMatch(report -> report.begins().get("source") >= beganMs));
  }

  void tell(EventsLost loss) {
    progress.add(loss);
  }

  private void verify(boolean findsWrongRows) {
    if (!generations.isEmpty()) {
      PublishedGeneration generation = pick(List.copyOf(generations.values()));
      long wrong = findsWrongRows ? 1 + random.nextInt(5) : 0;
      progress.add(
          new RowsVerified(generation.view(), generation.generation(), "v" + nowMs, wrong, nowMs));
    }
  }

  /** A transaction of the controller, made from what it was told. */
  void commit(List<ControlRecord> records, List<Object> known) {
    for (ControlRecord record : records) {
      checks.published(record, known);
      if (record instanceof ControlRecord.Generation generation) {
        generations.put(generation.generation().key(), generation.generation());
      } else if (record instanceof ControlRecord.GenerationGone gone) {
        generations.remove(PublishedGeneration.key(gone.view(), gone.generation()));
      } else if (record instanceof ControlRecord.State state) {
        states.add(new StateRecord(state.state().view(), state.state()));
        newestStates.put(state.state().view(), state.state());
      } else if (record instanceof ControlRecord.StateGone gone) {
        states.add(new StateRecord(gone.view(), null));
        newestStates.remove(gone.view());
      }
    }
  }

  /** Another process gets the lease; the one before may not know. */
  private void takeOver() {
    controllers.add(new SimController(this));
    if (controllers.size() > 2) {
      controllers.remove(0).actions.die();
    }
  }

  private void control() {
    SimController controller = pick(controllers);
    if (!controller.step()) {
      controllers.remove(controller);
      boolean isGone = random.nextBoolean();
      if (isGone || controllers.size() > 1) {
        controller.actions.die();
      }
      if (controllers.isEmpty()) {
        takeOver();
      }
    } else if (!calm && random.nextInt(200) == 0) {
      takeOver();
    }
  }

  /** Others go on while a process waits for an answer. */
  void meanwhile() {
    nowMs += random.nextInt(3);
    for (int i = random.nextInt(3); i > 0; i--) {
      others();
    }
  }

  Map<String, ViewState> committedStates() {
    return Map.copyOf(newestStates);
  }

  /** Null: none, or a tombstone. */
  ViewState committedState(String view) {
    return newestStates.get(view);
  }

  /** One random thing happens. */
  void step() {
    if (verifies && random.nextInt(40) == 0) {
      verify(random.nextBoolean());
    }
    if (verifies && random.nextInt(100) == 0) {
      user.reschedule(random);
    }
    int choice = random.nextInt(500);
    if (choice < 3) {
      user.step(random);
    } else if (choice < 15) {
      change();
    } else if (choice < 18) {
      pick(List.copyOf(sources.values())).scan();
    } else {
      work();
    }
  }

  /** One random thing happens that is no news from outside. */
  void work() {
    nowMs += random.nextInt(20);
    if (random.nextInt(100) < 45) {
      control();
    } else {
      others();
    }
  }

  private void others() {
    int choice = random.nextInt(45);
    if (choice < 25) {
      pick(tasks).step(random);
    } else {
      pick(List.copyOf(sinks.values())).step(random);
      checks.everything();
    }
  }

  private void change() {
    String key = "k" + random.nextInt(KEYS);
    int value = random.nextInt(100);
    Integer change =
        switch (random.nextInt(8)) {
          case 0, 1 -> null;
          case 2 -> value;
          default -> SimView.clean(value);
        };
    pick(List.copyOf(sources.values())).append(key, change);
  }

  <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** No more trouble from outside: what is there can come to rest. */
  void heal() {
    calm = true;
    for (SimSource source : sources.values()) {
      source.scan();
      for (int i = 0; i < KEYS; i++) {
        source.append("k" + i, i == 0 ? null : SimView.clean(random.nextInt(100)));
      }
    }
    while (controllers.size() > 1) {
      controllers.remove(0).actions.die();
    }
    if (verifies) {
      generations
          .values()
          .forEach(
              generation ->
                  progress.add(
                      new RowsVerified(
                          generation.view(), generation.generation(), "v" + nowMs, 0, nowMs)));
    }
    user.heal();
  }

  /**
   * Goes on without news from outside until nothing happens any more, for longer than anything
   * waits.
   *
   * @return whether it came to that
   */
  boolean rest(int steps) {
    long quietSinceMs = nowMs;
    for (int i = 0; i < steps; i++) {
      work();
      if (!isQuiet()) {
        quietSinceMs = nowMs;
      } else if (nowMs - quietSinceMs > 2 * ViewMetadata.MIN_GRACE.toMillis()) {
        return true;
      }
    }
    return false;
  }

  private boolean isQuiet() {
    return topics.size() == generations.size()
        && controllers.get(0).isQuiet()
        && tasks.stream().allMatch(SimTask::isIdle)
        && sinks.values().stream().allMatch(SimSink::isIdle);
  }
}
