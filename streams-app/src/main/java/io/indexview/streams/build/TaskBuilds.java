package io.indexview.streams.build;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.RowCounts;
import io.indexview.streams.derive.ViewPlans;
import io.indexview.streams.generation.FrozenGeneration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generations of one task: takes them as they are published, and remembers them. Not safe for
 * use by several threads.
 *
 * <p>What the task has once taken holds until it sees the opposite: an instance that it moves to
 * may learn of a generation, or of its end, later than the one it comes from. So a generation that
 * is not there goes on, one that stopped never begins again, and of each view the newest that
 * stopped is remembered for ever.
 */
final class TaskBuilds implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(TaskBuilds.class);
  private static final long RETRY_MS = 2_000;

  private final TaskPlace place;
  private final DeriverServices services;
  private final GenerationReader reader;
  private final BuildMemory memory;
  private final ViewPlans plans;
  private final Map<BuildMode, BuildGate> gates;
  private final Map<GenerationKey, TaskBuild> builds = new TreeMap<>();
  private final Map<GenerationKey, byte[]> taken = new TreeMap<>();
  private long retryAtMs = Long.MIN_VALUE;

  /**
   * @param plans always derive what this has
   * @param gates of all modes
   */
  TaskBuilds(
      TaskPlace place,
      DeriverServices services,
      BuildMemory memory,
      ViewPlans plans,
      Map<BuildMode, BuildGate> gates) {
    this.place = place;
    this.services = services;
    this.reader = new GenerationReader(services.registry());
    this.memory = memory;
    this.plans = plans;
    this.gates = gates;
  }

  /** Goes on where the task was. Waits for the registry: no change of a row may be missed. */
  void load() {
    Map<GenerationKey, byte[]> published = memory.published();
    memory
        .states()
        .forEach(
            (key, state) -> {
              byte[] value = published.get(key);
              builds.put(key, services.registryWait().get(() -> goOn(key, state, value)));
            });
    replan();
  }

  private TaskBuild goOn(GenerationKey key, BuildState state, byte[] value) {
    if (state.phase() == Phase.STOPPED || state.phase() == Phase.FAILED) {
      return TaskBuild.idle(key, state, memory).remembered();
    }
    try {
      if (value == null) {
        throw new UnreadableException("the task has lost its definition", null);
      }
      PublishedGeneration published = reader.read(key, value);
      FrozenGeneration frozen = reader.thaw(published);
      return TaskBuild.following(published, frozen, state, memory, services.metrics()).remembered();
    } catch (UnreadableException e) {
      TaskBuild failed = failed(key, e);
      // Changes of rows are missed from now on: it cannot go on later as if nothing were.
      failed.save();
      return failed;
    }
  }

  /**
   * Takes what changed.
   *
   * @param records of {@code view-generations}
   */
  void poll(ControlRecords records, long nowMs) {
    if (nowMs >= retryAtMs) {
      Map<GenerationKey, byte[]> current = new TreeMap<>();
      records.forEach(
          (key, value) -> GenerationKey.parse(key).ifPresent(parsed -> current.put(parsed, value)));
      try {
        take(current);
      } catch (RegistryException e) {
        LOGGER.warn("{}: new generations wait for the schema registry", place, e);
        retryAtMs = nowMs + RETRY_MS;
      }
    }
    boolean asBefore = true;
    for (TaskBuild build : builds.values()) {
      asBefore &= build.ask(gates);
    }
    if (!asBefore) {
      replan();
    }
  }

  private void take(Map<GenerationKey, byte[]> current) {
    boolean changed = false;
    try {
      for (Map.Entry<GenerationKey, byte[]> record : current.entrySet()) {
        if (!Arrays.equals(record.getValue(), taken.get(record.getKey()))) {
          take(record.getKey(), record.getValue());
          taken.put(record.getKey(), record.getValue());
          changed = true;
        }
      }
      for (GenerationKey key : List.copyOf(taken.keySet())) {
        if (!current.containsKey(key)) {
          forget(key);
          changed = true;
        }
      }
    } finally {
      if (changed) {
        replan();
      }
    }
  }

  private void take(GenerationKey key, byte[] value) {
    TaskBuild known = builds.get(key);
    try {
      PublishedGeneration published = reader.read(key, value);
      if (!published.recordSet().equals(place.recordSet())) {
        return;
      }
      if (published.stopped()) {
        stop(key);
      } else if ((known == null || !known.isRemembered()) && !isPast(key)) {
        builds.put(key, begin(key, published, value));
      }
    } catch (UnreadableException e) {
      if (known == null || !known.isRemembered()) {
        builds.put(key, failed(key, e));
      }
    }
  }

  private TaskBuild begin(GenerationKey key, PublishedGeneration published, byte[] value)
      throws UnreadableException {
    FrozenGeneration frozen = reader.thaw(published);
    TaskBuild build =
        TaskBuild.following(
            published,
            frozen,
            new BuildState(Phase.BUILDING, null, 0, RowCounts.NONE, ""),
            memory,
            services.metrics());
    memory.savePublished(key, value);
    build.save();
    LOGGER.info("{}: builds view {} generation {}", place, key.view(), key.number());
    return build;
  }

  private TaskBuild failed(GenerationKey key, UnreadableException e) {
    LOGGER.error("{}: view {} generation {} fails", place, key.view(), key.number(), e);
    return TaskBuild.idle(
        key, new BuildState(Phase.FAILED, null, 0, RowCounts.NONE, e.getMessage()), memory);
  }

  private void stop(GenerationKey key) {
    TaskBuild build =
        builds.computeIfAbsent(
            key,
            unused ->
                TaskBuild.idle(
                    key, new BuildState(Phase.FAILED, null, 0, RowCounts.NONE, ""), memory));
    if (build.phase() != Phase.STOPPED) {
      build.stop();
      LOGGER.info("{}: stops view {} generation {}", place, key.view(), key.number());
    }
  }

  /**
   * Whether a newer generation of the view has stopped. Numbers only rise, so a task that knows
   * nothing of the older one has forgotten it: it was stopped and is gone.
   */
  private boolean isPast(GenerationKey key) {
    return stopped(key.view()).anyMatch(other -> other.number() > key.number());
  }

  /** The generations of a view that stopped, oldest first. */
  private Stream<GenerationKey> stopped(String view) {
    return builds.values().stream()
        .filter(build -> build.phase() == Phase.STOPPED && build.key().view().equals(view))
        .map(TaskBuild::key);
  }

  private void forget(GenerationKey key) {
    taken.remove(key);
    TaskBuild build = builds.get(key);
    if (build == null) {
      return;
    }
    if (!build.isRemembered()) {
      builds.remove(key);
      return;
    }
    stop(key);
    List<GenerationKey> marks =
        stopped(key.view()).filter(mark -> !taken.containsKey(mark)).toList();
    for (GenerationKey mark : marks.subList(0, marks.size() - 1)) {
      memory.forget(mark);
      builds.remove(mark);
    }
  }

  private void replan() {
    plans.become(builds.values().stream().flatMap(build -> build.view().stream()).toList());
  }

  /** Those that somebody wants to know of. */
  Collection<TaskBuild> published() {
    return builds.values().stream()
        .filter(build -> build.phase() != Phase.STOPPED || taken.containsKey(build.key()))
        .toList();
  }

  /**
   * The builds that go on next, together in one walk: those that are furthest, so that every walk
   * comes to its end. Empty if there is nothing to build.
   */
  List<TaskBuild> front() {
    List<TaskBuild> front = new ArrayList<>();
    for (TaskBuild build : builds.values()) {
      if (!build.isReady()) {
        continue;
      }
      int order = front.isEmpty() ? 0 : TaskBuild.compareCursors(build, front.get(0));
      if (order > 0) {
        front.clear();
      }
      if (order >= 0) {
        front.add(build);
      }
    }
    return front;
  }

  @Override
  public void close() {
    builds.values().forEach(TaskBuild::close);
  }
}
