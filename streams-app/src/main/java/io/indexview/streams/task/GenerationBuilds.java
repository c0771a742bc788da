package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.StoredScanProgress;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import io.indexview.streams.state.StoredScanProgress.Phase;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generations of one task: takes them as they are published, builds them from the state, and
 * remembers them. Not safe for use by several threads.
 *
 * <p>What the task has once taken holds until it sees the opposite: an instance that it moves to
 * may learn of a generation, or of its end, later than the one it comes from. So a generation that
 * is not there goes on, one that stopped never begins again, and of each view the newest that
 * stopped is remembered for ever.
 */
final class GenerationBuilds implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationBuilds.class);

  private final TaskLocation location;
  private final DeriverServices services;
  private final RecordSetDeriver deriver;
  private final StateScan scan;
  private final Entries entries;
  private final TaskMemory memory;
  private final ControlRecords records;
  private final TaskOutput out;
  private final RefusingTopics refusing;
  private final GenerationReader reader;
  private final ProgressReports reports;
  private final RegistryRetry retry;
  private final Map<GenerationKey, GenerationBuild> builds = new TreeMap<>();

  /** Generations that were published when the task last looked. */
  private final Set<GenerationKey> taken = new HashSet<>();

  /** What is not taken yet; null: gone. */
  private final Map<GenerationKey, byte[]> news = new TreeMap<>();

  private boolean failsNewly;
  private long seen = ControlRecords.START;

  /**
   * Goes on where the task was. Waits for the registry: no change of a row may be missed.
   *
   * @param deriver always follows what this has
   */
  GenerationBuilds(
      TaskLocation location,
      DeriverServices services,
      GenerationReader reader,
      TaskStores stores,
      RecordSetDeriver deriver,
      StateScan scan,
      RefusingTopics refusing,
      TaskOutput out) {
    this.location = location;
    this.services = services;
    this.deriver = deriver;
    this.scan = scan;
    this.entries = stores.entries();
    this.memory = stores.memory();
    this.records = stores.generations();
    this.out = out;
    this.refusing = refusing;
    this.reader = reader;
    this.reports = new ProgressReports(location, out, services.time());
    this.retry = new RegistryRetry(location, "take generations", services.time());
    Map<GenerationKey, byte[]> published = read(GenerationBuild.PUBLISHED);
    read(GenerationBuild.PROGRESS)
        .forEach(
            (key, bytes) -> {
              StoredScanProgress progress = StoredScanProgress.decode(bytes);
              byte[] value = published.get(key);
              builds.put(key, services.registryWait().get(() -> goOn(key, progress, value)));
            });
    leaveOutRefused();
    follow();
  }

  /**
   * Fails builds whose view topic refuses rows: one refused row would abort the whole transaction.
   * Returns whether there were any.
   */
  private boolean leaveOutRefused() {
    boolean changed = false;
    for (GenerationBuild build : builds.values()) {
      Optional<String> reason =
          build.view().flatMap(view -> refusing.reason(view.frozen().viewTopic()));
      if (reason.isPresent()) {
        LOGGER.error(
            "{}: view {} gets no more rows: {}; end the cause, then rebuild the view",
            location,
            build.key().view(),
            reason.get());
        build.fail(reason.get());
        changed = true;
      }
    }
    return changed;
  }

  private Map<GenerationKey, byte[]> read(String prefix) {
    Map<GenerationKey, byte[]> values = new TreeMap<>();
    memory.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            GenerationKey.parse(key.substring(prefix.length()))
                .ifPresent(generation -> values.put(generation, value));
          }
        });
    return values;
  }

  private GenerationBuild goOn(GenerationKey key, StoredScanProgress progress, byte[] value) {
    if (progress.phase() == Phase.STOPPED || progress.phase() == Phase.FAILED) {
      return GenerationBuild.idle(key, progress, memory).remembered();
    }
    try {
      if (value == null) {
        throw new GenerationReader.UnreadableException("the task has lost its definition", null);
      }
      PublishedGeneration published = reader.read(key, value);
      FrozenGeneration frozen = reader.thaw(published);
      return following(published, frozen, progress).remembered();
    } catch (GenerationReader.UnreadableException e) {
      GenerationBuild failed = failed(key, e);
      // Changes of rows are missed from now on: it cannot go on later as if nothing were.
      failed.save();
      return failed;
    }
  }

  private GenerationBuild following(
      PublishedGeneration published, FrozenGeneration frozen, StoredScanProgress progress) {
    return GenerationBuild.following(
        published, frozen, progress, memory, services.metrics(), () -> failsNewly = true);
  }

  private GenerationBuild failed(GenerationKey key, GenerationReader.UnreadableException e) {
    LOGGER.error(
        "{}: generation {} of view {} cannot be read and gets no rows; upgrade the application if a newer release froze it, else rebuild the view",
        location,
        key.number(),
        key.view(),
        e);
    return GenerationBuild.idle(key, StoredScanProgress.of(Phase.FAILED, e.getMessage()), memory);
  }

  private void follow() {
    deriver.follow(builds.values().stream().flatMap(build -> build.view().stream()).toList());
  }

  /**
   * Takes what changed on {@code view-generations}, and reports.
   *
   * @param gate what a build waits for
   * @param replaying what one waits for that wants the topic replayed
   */
  void poll(Function<PublishedGeneration, String> gate, String replaying, long nowMs) {
    if (leaveOutRefused()) {
      follow();
    }
    seen =
        records.since(
            seen,
            (key, value) -> GenerationKey.parse(key).ifPresent(parsed -> news.put(parsed, value)));
    if (!news.isEmpty()) {
      retry.attempt(this::takeNews);
    }
    builds.values().forEach(build -> build.ask(gate, replaying));
    report(nowMs);
  }

  /** What is gone last: of each view the newest generation that stopped is to be known by then. */
  private void takeNews() {
    int before = news.size();
    try {
      for (GenerationKey key : List.copyOf(news.keySet())) {
        byte[] value = news.get(key);
        if (value != null) {
          take(key, value);
          taken.add(key);
          news.remove(key);
        }
      }
      news.keySet().stream().filter(taken::contains).forEach(this::forget);
      news.clear();
    } finally {
      if (news.size() < before) {
        follow();
      }
    }
  }

  private void take(GenerationKey key, byte[] value) {
    GenerationBuild known = builds.get(key);
    try {
      PublishedGeneration published = reader.read(key, value);
      if (!published.recordSet().equals(location.recordSet())) {
        return;
      }
      if (published.stopped()) {
        stop(key);
      } else if ((known == null || !known.isRemembered()) && !isPast(key)) {
        builds.put(key, begin(key, published, value));
      }
    } catch (GenerationReader.UnreadableException e) {
      if (known == null || !known.isRemembered()) {
        builds.put(key, failed(key, e));
      }
    }
  }

  /**
   * A task may come to an instance that has not learned of the generation yet, and must not miss a
   * change of its rows there: so it remembers the definition too.
   */
  private GenerationBuild begin(GenerationKey key, PublishedGeneration published, byte[] value)
      throws GenerationReader.UnreadableException {
    FrozenGeneration frozen = reader.thaw(published);
    GenerationBuild build = following(published, frozen, null);
    memory.put(GenerationBuild.PUBLISHED + key.text(), value);
    build.save();
    LOGGER.info("{}: builds view {} generation {}", location, key.view(), key.number());
    return build;
  }

  private void stop(GenerationKey key) {
    GenerationBuild build =
        builds.computeIfAbsent(
            key,
            unused -> GenerationBuild.idle(key, StoredScanProgress.of(Phase.FAILED, ""), memory));
    if (build.phase() != Phase.STOPPED) {
      build.stop();
      LOGGER.info("{}: stops view {} generation {}", location, key.view(), key.number());
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
        .map(GenerationBuild::key);
  }

  private void forget(GenerationKey key) {
    taken.remove(key);
    GenerationBuild build = builds.get(key);
    if (build == null) {
      return;
    }
    if (!build.isRemembered()) {
      builds.remove(key);
      return;
    }
    stop(key);
    List<GenerationKey> marks = stopped(key.view()).filter(mark -> !taken.contains(mark)).toList();
    for (GenerationKey mark : marks.subList(0, marks.size() - 1)) {
      memory.put(GenerationBuild.PROGRESS + mark.text(), null);
      memory.put(GenerationBuild.PUBLISHED + mark.text(), null);
      builds.remove(mark);
    }
  }

  /** What derives a generation here; empty: nothing does. */
  Optional<FollowedView> view(GenerationKey key) {
    return Optional.ofNullable(builds.get(key)).flatMap(GenerationBuild::view);
  }

  /** Reports everything once more, as after a start. */
  void reportAgain() {
    reports.forget();
  }

  /**
   * A view that was right and no longer is, is reported in the transaction of the event: whoever
   * sees that the event is taken in sees the report, too, unless the registry does not answer.
   */
  void tellNewFailures(long nowMs) {
    if (failsNewly) {
      report(nowMs);
    }
  }

  private void report(long nowMs) {
    List<GenerationBuild> wanted =
        builds.values().stream()
            .filter(build -> build.phase() != Phase.STOPPED || taken.contains(build.key()))
            .toList();
    failsNewly &= !reports.report(wanted, entries.estimatedSize(), nowMs);
  }

  /** Generations that wait for the replay of the topic. */
  Set<GenerationKey> waitingForReplay() {
    return builds.values().stream()
        .filter(build -> build.phase() == Phase.WAITING)
        .map(GenerationBuild::key)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The topic is replayed for these. */
  void replayed(Set<GenerationKey> keys) {
    waiting(keys).forEach(GenerationBuild::replayed);
  }

  /** The topic cannot be replayed for these. */
  void replayFailed(Set<GenerationKey> keys, String reason) {
    waiting(keys).forEach(build -> build.fail(reason));
    follow();
  }

  private List<GenerationBuild> waiting(Set<GenerationKey> keys) {
    return builds.values().stream()
        .filter(build -> build.phase() == Phase.WAITING && keys.contains(build.key()))
        .toList();
  }

  /** Whether a build has not come to its end. */
  boolean isUnderWay() {
    return !news.isEmpty()
        || builds.values().stream()
            .anyMatch(build -> build.phase() == Phase.WAITING || build.phase() == Phase.RUNNING);
  }

  /** Whether there is something to build now. */
  boolean hasToBuild() {
    return builds.values().stream().anyMatch(GenerationBuild::isReady);
  }

  /**
   * The builds that go on next, together in one scan: those that are furthest, so that every scan
   * comes to its end. Empty if there is nothing to build.
   */
  private List<GenerationBuild> front() {
    List<GenerationBuild> front = new ArrayList<>();
    for (GenerationBuild build : builds.values()) {
      if (!build.isReady()) {
        continue;
      }
      int order = front.isEmpty() ? 0 : GenerationBuild.compareCursors(build, front.get(0));
      if (order > 0) {
        front.clear();
      }
      if (order >= 0) {
        front.add(build);
      }
    }
    return front;
  }

  /**
   * Builds from one chunk, of one record at least if there is one.
   *
   * @param expired whether the time of the chunk is over; asked after each record
   */
  void build(BooleanSupplier expired, long nowMs) {
    List<GenerationBuild> front = front();
    if (front.isEmpty()) {
      return;
    }
    Set<FollowedView> views =
        front.stream().flatMap(build -> build.view().stream()).collect(Collectors.toSet());
    front.forEach(GenerationBuild::beginChunk);
    long[] built = {0};
    Chunk chunk =
        scan.run(
            front.get(0).cursor(),
            expired,
            (key, entry) -> {
              if (!entry.deleted() || entry.unreadable()) {
                deriver.build(key, entry, views::contains, out);
                built[0]++;
              }
              return entry;
            });
    front.forEach(build -> build.endChunk(chunk, built[0]));
    if (chunk.whole()) {
      report(nowMs);
    }
  }

  /** Takes its share off the metrics. */
  @Override
  public void close() {
    builds.values().forEach(GenerationBuild::close);
  }
}
