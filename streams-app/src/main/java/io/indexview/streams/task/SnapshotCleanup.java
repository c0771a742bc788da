package io.indexview.streams.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.RecordSetDeriver.Snapshots;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.state.StoredScanProgress;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import io.indexview.streams.state.StoredScanProgress.Phase;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.state.TopicIncarnation;
import io.indexview.streams.task.TaskServices.AppPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what an ad-hoc snapshot did not name: records of its keys that no event has touched since
 * it began; those of other producers are not its matter. An event that comes after the snapshot
 * finds such a record gone, as the sources' indexes do, whether the scan has reached it or not; so
 * both judge it alike. Not safe for use by several threads.
 *
 * <p>Says so when a snapshot found records older than they are known, though nothing came for them:
 * the task keeps what it knows, as versions decide, so somebody has to tell that they count no
 * more.
 *
 * <p>No event tells of these deletions, so snapshots are remembered for replays, until the events
 * of a later one that covers them are processed.
 */
final class SnapshotCleanup {
  private static final Logger LOGGER = LoggerFactory.getLogger(SnapshotCleanup.class);
  private static final String PROGRESS = "scan|cleanup|";
  private static final String SNAPSHOT = "snapshot|";
  private static final long AT_THE_END = Long.MAX_VALUE;
  private static final String WENT_BACK =
      "an ad-hoc snapshot found older versions in the store than the application has, which keeps"
          + " its own: the store was restored from a backup, or lost writes that were not"
          + " replicated, and the source had lost its index. Raise kvstore.incarnation of the"
          + " sources and of the writers, then rebuild with an ad-hoc snapshot";
  private static final TopicSources.Answer NOTHING_KNOWN = new TopicSources.Answer(null, "");

  private final TaskLocation location;
  private final SourceReports sources;
  private final StateScan scan;
  private final TaskMemory memory;
  private final AppPosition position;
  private final TopicIncarnation incarnation;
  private final RecordSetCounters counters;
  private final TaskOutput out;
  private final TopicPartition partition;
  private final OlderReads olderReads;
  private final RegistryRetry retry;

  /** Cleanups in the order in which they began. */
  private final List<Cleanup> all = new ArrayList<>();

  private TopicSources.Answer newest = NOTHING_KNOWN;
  private CompletedSnapshot reported;

  /**
   * What is deleted after, as JSON: of another form if a newer release wrote it.
   *
   * @param from offset of the first event that finds deleted what is to be: the end of the
   *     snapshot, or the first that came after the task knew of it
   * @param atMs when the task knew of it, ms since the epoch
   */
  record Begun(int format, CompletedSnapshot snapshot, long from, long atMs) {
    private static final int FORMAT = 1;
    private static final JsonMapper JSON =
        JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

    static Begun of(CompletedSnapshot snapshot, long from, long atMs) {
      return new Begun(FORMAT, snapshot, from, atMs);
    }

    byte[] encode() {
      try {
        return JSON.writeValueAsBytes(this);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a snapshot cannot be stored", e);
      }
    }

    /**
     * @throws IllegalStateException if the bytes are of another format, or damaged
     */
    static Begun decode(byte[] bytes) {
      try {
        int format = JSON.readTree(bytes).path("format").asInt();
        if (format > FORMAT) {
          throw new IllegalStateException(
              "stored snapshot of format %d; this release reads format %d: a newer release wrote it"
                  .formatted(format, FORMAT));
        }
        return JSON.readValue(bytes, Begun.class);
      } catch (IOException e) {
        throw new IllegalStateException(
            "stored snapshot of %d bytes is damaged: rebuild the store from its changelog"
                .formatted(bytes.length),
            e);
      }
    }

    Entry turned(byte[] key, Entry entry, long offset) {
      return from <= offset ? SnapshotCleanup.turned(snapshot, key, entry, atMs) : entry;
    }
  }

  /**
   * What becomes of an entry: a record that was not named is gone, whatever could not be read of it
   * before. One that nobody could read since the snapshot began may be what it names: its rows
   * stand.
   */
  private static Entry turned(CompletedSnapshot snapshot, byte[] key, Entry entry, long atMs) {
    if (!snapshot.isGone(key, Math.max(entry.offset(), entry.unreadableAt()))) {
      return entry;
    }
    boolean stands = !entry.deleted() || entry.value() != null;
    Entry read = entry.unreadable() ? entry.readable() : entry;
    return stands ? OrderGuard.inferredTombstone(read, atMs) : read;
  }

  private record Cleanup(int number, Begun begun, StoredScanProgress progress) {
    CompletedSnapshot snapshot() {
      return begun.snapshot();
    }

    boolean is(Phase phase) {
      return progress.phase() == phase;
    }
  }

  /** Continues from what the task remembers. */
  SnapshotCleanup(
      TaskLocation location,
      SchemaRegistry registry,
      TaskStores stores,
      StateScan scan,
      AppPosition position,
      TopicIncarnation incarnation,
      RecordSetCounters counters,
      TaskOutput out,
      Time time) {
    this.location = location;
    this.sources = new SourceReports(location, registry, stores.sourceStates());
    this.scan = scan;
    this.memory = stores.memory();
    this.position = position;
    this.incarnation = incarnation;
    this.counters = counters;
    this.out = out;
    this.partition = new TopicPartition(location.topic(), location.partition());
    this.olderReads = new OlderReads(memory);
    this.retry = new RegistryRetry(location, "clean up after a snapshot", time);
    TreeMap<Integer, Begun> snapshots = new TreeMap<>();
    memory.forEach(
        (key, value) -> {
          if (key.startsWith(SNAPSHOT)) {
            snapshots.put(Integer.valueOf(key.substring(SNAPSHOT.length())), Begun.decode(value));
          }
        });
    snapshots.forEach(
        (number, begun) ->
            all.add(
                new Cleanup(
                    number, begun, StoredScanProgress.decode(memory.get(PROGRESS + number)))));
  }

  private boolean lastIs(Phase phase) {
    return !all.isEmpty() && last().is(phase);
  }

  private Cleanup last() {
    return all.get(all.size() - 1);
  }

  private void saveProgress(Cleanup of, StoredScanProgress progress) {
    all.set(all.indexOf(of), new Cleanup(of.number(), of.begun(), progress));
    memory.put(PROGRESS + of.number(), progress.encode());
  }

  private void forget(List<Cleanup> some) {
    for (Cleanup cleanup : List.copyOf(some)) {
      all.remove(cleanup);
      memory.put(SNAPSHOT + cleanup.number(), null);
      memory.put(PROGRESS + cleanup.number(), null);
    }
  }

  /** Looks for a snapshot that is complete, and whose events are processed. */
  void poll(long nowMs) {
    boolean isKnown =
        retry.attempt(
            () -> {
              sources.refresh();
              tell(nowMs);
            });
    if (!isKnown) {
      return;
    }
    newest = unlessTooEarly(sources.all().publishedAgain(incarnation.known(), 0));
    newest.complete().ifPresent(scan -> remember(scan, nowMs));
    beginWhatIsPassed();
  }

  /**
   * Rejects a snapshot whose events may have been taken for those of an earlier topic: nobody knows
   * when they came.
   */
  private TopicSources.Answer unlessTooEarly(TopicSources.Answer answer) {
    return answer.complete().stream().anyMatch(this::isTooEarly)
        ? new TopicSources.Answer(null, tooEarly())
        : answer;
  }

  private boolean isTooEarly(CompleteScan scan) {
    return scan.parts().stream()
        .anyMatch(part -> incarnation.mayMistake(part.begin(location.partition()), end(scan)));
  }

  private String tooEarly() {
    return incarnation.isUnread()
        ? "whether they began before the app noticed that topic %s was created anew shows with the next event of partition %d; if none comes, rebuild with an ad-hoc snapshot once more"
            .formatted(location.topic(), location.partition())
        : "they began before the app noticed that topic %s was created anew; rebuild with an ad-hoc snapshot once more"
            .formatted(location.topic());
  }

  /** Offset where a snapshot ended. */
  private long end(CompleteScan scan) {
    return scan.ends().getOrDefault(partition, 0L);
  }

  /** Tells what it is done with once more, as after a start. */
  void reportAgain() {
    reported = null;
  }

  /** The newest snapshot that this is done with, once after each start too. */
  private void tell(long nowMs) {
    all.stream()
        .filter(cleanup -> cleanup.is(Phase.DONE))
        .reduce((earlier, later) -> later)
        .map(Cleanup::snapshot)
        .filter(done -> !done.equals(reported))
        .ifPresent(
            done -> {
              out.report(
                  new PurgeProgress(
                      location.recordSet(),
                      location.partition(),
                      done.topicId(),
                      done.begins(),
                      nowMs));
              reported = done;
            });
  }

  private void remember(CompleteScan scan, long nowMs) {
    CompletedSnapshot snapshot = snapshot(scan);
    if (isNewest(snapshot)) {
      return;
    }
    int number = all.isEmpty() ? 0 : last().number() + 1;
    Begun begun = Begun.of(snapshot, from(snapshot, end(scan)), nowMs);
    memory.put(SNAPSHOT + number, begun.encode());
    all.add(new Cleanup(number, begun, null));
    saveProgress(last(), StoredScanProgress.of(Phase.WAITING, ""));
  }

  /**
   * Begins the cleanups whose snapshot is read. Until then an earlier cleanup still counts: what it
   * deleted, and what it has yet to.
   */
  private void beginWhatIsPassed() {
    List<Cleanup> waiting = all.stream().filter(cleanup -> cleanup.is(Phase.WAITING)).toList();
    for (Cleanup cleanup : waiting) {
      CompletedSnapshot snapshot = cleanup.snapshot();
      long from = cleanup.begun().from();
      if (from != AT_THE_END && !position.hasPassed(snapshot.topicId(), partition, from)) {
        return;
      }
      LOGGER.info("{}: deletes what the snapshot did not name", location);
      forget(
          all.subList(0, all.indexOf(cleanup)).stream()
              .filter(earlier -> snapshot.supersedes(earlier.snapshot()))
              .toList());
      saveProgress(cleanup, cleanup.progress().with(Phase.RUNNING));
      if (olderReads.wentBack(snapshot, end(snapshot))) {
        LOGGER.warn("{}: {}", location, WENT_BACK);
        out.report(new EventsLost(location.recordSet(), foundAtMs(cleanup), WENT_BACK));
      }
    }
  }

  /**
   * The snapshot itself does not make up for what it found, but any later one does, also if other
   * partitions tell of this one only then.
   */
  private long foundAtMs(Cleanup cleanup) {
    return scan(cleanup.snapshot())
        .map(scan -> scan.lastStartedAtMs() + 1)
        .orElse(cleanup.begun().atMs());
  }

  /** Empty if another one is known since. */
  private Optional<CompleteScan> scan(CompletedSnapshot snapshot) {
    return newest.complete().filter(scan -> snapshot(scan).equals(snapshot));
  }

  /** Position where a snapshot ended; before all if another one is known since. */
  private long end(CompletedSnapshot snapshot) {
    return scan(snapshot).map(scan -> incarnation.position(end(scan))).orElse(Long.MIN_VALUE);
  }

  /** Events that were processed before the task knew of a snapshot are judged already. */
  private long from(CompletedSnapshot snapshot, long end) {
    long processed = incarnation.processed();
    if (processed == 0) {
      return position.hasPassed(snapshot.topicId(), partition, end) ? AT_THE_END : end;
    }
    return Math.max(processed, end);
  }

  private CompletedSnapshot snapshot(CompleteScan scan) {
    return CompletedSnapshot.of(scan, location.partition(), incarnation);
  }

  private boolean isNewest(CompletedSnapshot snapshot) {
    return !all.isEmpty() && last().snapshot().equals(snapshot);
  }

  /** The first event since the start comes: until then nobody knows the offset of the next one. */
  void firstEventComes(long offset) {
    for (Cleanup cleanup : List.copyOf(all)) {
      if (cleanup.begun().from() == AT_THE_END) {
        Begun begun = Begun.of(cleanup.snapshot(), offset, cleanup.begun().atMs());
        all.set(all.indexOf(cleanup), new Cleanup(cleanup.number(), begun, cleanup.progress()));
        memory.put(SNAPSHOT + cleanup.number(), begun.encode());
      }
    }
  }

  /** What is known of snapshots is of an earlier topic of the name. */
  void topicIsAnother() {
    forget(all);
    newest = NOTHING_KNOWN;
  }

  /**
   * Nobody will materialize the events once more: they are gone. Only the newest one counts still,
   * and those that have yet to delete something.
   */
  void cannotReplay() {
    forget(all.stream().limit(Math.max(0, all.size() - 1)).filter(c -> c.is(Phase.DONE)).toList());
  }

  /** What had become of a record's entry when an event of the past came. */
  Entry before(long offset, byte[] key, Entry entry) {
    return turned(past -> true, offset, key, entry);
  }

  /** What snapshots have to do with an event that comes now. */
  Snapshots on(long offset) {
    return new Snapshots() {
      @Override
      public Entry before(byte[] key, Entry stored) {
        // What a scan has not reached yet.
        return turned(past -> !past.is(Phase.DONE), offset, key, stored);
      }

      @Override
      public void applied(byte[] key) {
        olderReads.changed(key);
      }

      @Override
      public void foundOlder(byte[] key, Entry known) {
        olderReads.refused(key, known.offset(), incarnation.position(offset));
      }
    };
  }

  /** What has become of a record's entry by now. */
  Entry now(byte[] key, Entry entry) {
    return turned(past -> !past.is(Phase.WAITING), AT_THE_END, key, entry);
  }

  private Entry turned(Predicate<Cleanup> which, long offset, byte[] key, Entry entry) {
    Entry turned = entry;
    for (Cleanup past : all) {
      if (which.test(past)) {
        turned = past.begun().turned(key, turned, offset);
      }
    }
    return turned;
  }

  /** Whether a snapshot was not taken in yet. */
  boolean isUnderWay() {
    return all.stream().anyMatch(cleanup -> !cleanup.is(Phase.DONE));
  }

  /** Whether there is something to do now; nothing while the topic may be another one. */
  boolean isRunning() {
    return running().isPresent() && incarnation.known().isPresent();
  }

  private Optional<Cleanup> running() {
    return all.stream().filter(cleanup -> cleanup.is(Phase.RUNNING)).findFirst();
  }

  /**
   * Scans one chunk of the state, one record at least. To be called only while it {@link
   * #isRunning}.
   *
   * @param expired whether the time of the chunk is over; asked after each record
   */
  void run(BooleanSupplier expired, long nowMs) {
    Cleanup cleanup = running().orElseThrow();
    CompletedSnapshot snapshot = cleanup.snapshot();
    long[] unnamed = {0};
    Chunk chunk =
        scan.run(
            cleanup.progress().cursor(),
            expired,
            (key, entry) -> {
              Entry turned = turned(snapshot, key, entry, nowMs);
              unnamed[0] += turned.deleted() == entry.deleted() ? 0 : 1;
              return turned;
            });
    counters.countUnnamed(unnamed[0]);
    StoredScanProgress progress = cleanup.progress().after(chunk, unnamed[0]);
    saveProgress(cleanup, progress);
    if (chunk.whole()) {
      LOGGER.info("{}: {} records were not named by the snapshot", location, progress.done());
    }
  }

  /**
   * What a generation waits for that is to be built after a snapshot: its sources completed one
   * after the generation was created, and this task is done with it. The newest one that is known
   * counts, once every source was heard of since then.
   */
  String waitsFor(PublishedGeneration generation) {
    List<String> silent = sources.all().silentSince(generation.createdAtMs());
    if (!silent.isEmpty()) {
      return "waits to hear of source %s on source-states".formatted(silent.get(0));
    }
    if (newest.complete().isEmpty()) {
      return "waits until every source of topic %s has published all records again: %s"
          .formatted(location.topic(), newest.missing());
    }
    return lastIs(Phase.DONE) && isNewest(snapshot(newest.scan()))
        ? ""
        : "waits until the ad-hoc snapshot is processed, and what it did not name is deleted";
  }
}
