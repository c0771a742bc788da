package io.indexview.streams.task;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.StoredScanProgress;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import io.indexview.streams.state.StoredScanProgress.Phase;
import io.indexview.streams.state.TopicIncarnation;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays one partition of the primary-change topic for the generations that ask for it:
 * materializes it into a copy beside the state up to where the live events are, then compares both,
 * record by record, and puts right what differs. The copy follows the live events meanwhile, and
 * both are at the same event whenever a record is compared; so an event needs to know nothing of
 * it, and a record that was compared stays right. Not safe for use by several threads.
 *
 * <p>A generation may be built once a whole comparison has come after the task learned of it. So
 * one that is published while the topic is materialized shares that replay, and one that comes
 * later gets another.
 *
 * <p>The copy is neither logged nor committed, so what it holds after a start may be of any time: a
 * task that starts begins anew.
 */
final class Replay implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Replay.class);

  private enum Stage {
    IDLE,
    /** Makes the copy from the topic. */
    MATERIALIZING,
    /** Goes over the copy: what it has becomes the state. */
    REPLACING,
    /** Goes over the state: what the copy has not is removed from it. */
    REMOVING
  }

  private final TaskLocation location;
  private final GenerationBuilds builds;
  private final Entries entries;
  private final Entries copy;
  private final StateScan scan;
  private final StateScan copyScan;
  private final SnapshotCleanup snapshots;
  private final TombstoneExpiry expiry;
  private final FailedEvents failedEvents;
  private final RecordSetDeriver deriver;
  private final TaskOutput out;
  private final TopicIncarnation incarnation;
  private final TopicReplay materialize;
  private Stage stage = Stage.IDLE;
  private StoredScanProgress progress = StoredScanProgress.of(Phase.RUNNING, "");
  private Set<GenerationKey> waiting = Set.of();
  private Set<GenerationKey> sharing = Set.of();
  private boolean isCopyStale;

  /**
   * Begins anew whatever the task was at.
   *
   * @param builds of the generations that ask for replays
   */
  Replay(
      TaskLocation location,
      TaskStores stores,
      TaskServices services,
      TopicIncarnation incarnation,
      RecordSetDeriver deriver,
      GenerationBuilds builds,
      SnapshotCleanup snapshots,
      TombstoneExpiry expiry,
      TaskOutput out) {
    this.location = location;
    this.builds = builds;
    this.entries = stores.entries();
    this.copy = stores.copy();
    this.scan = new StateScan(entries, RecordSetTask.MAX_CHANGES, this::derive);
    this.copyScan = new StateScan(copy, 1_000, (key, before, after) -> {});
    this.snapshots = snapshots;
    this.expiry = expiry;
    this.failedEvents = services.failedEvents();
    this.deriver = deriver;
    this.out = out;
    this.incarnation = incarnation;
    this.materialize =
        new TopicReplay(
            location,
            services.changeTopicReaders(),
            deriver,
            copy,
            entries,
            snapshots,
            incarnation,
            services.deriving().time());
    copy.scan(
        null,
        (key, entry) -> {
          isCopyStale = true;
          return false;
        });
  }

  /** What was asked for, and is materialized, is of an earlier topic of the name. */
  void topicIsAnother() {
    waiting = builds.waitingForReplay();
    if (!waiting.isEmpty()) {
      fail(materialize.gone("it was created anew", null));
    }
  }

  private void fail(TopicReplay.UnreplayableException e) {
    LOGGER.error(
        "{}: the topic cannot be replayed, so the generations that wait for it fail", location, e);
    builds.replayFailed(waiting, e.getMessage());
    end();
  }

  /** Begins when a generation waits for it, and ends when none does any more. */
  void poll() {
    waiting = builds.waitingForReplay();
    if (waiting.isEmpty() && stage != Stage.IDLE) {
      LOGGER.info("{}: nobody wants the replay any more", location);
      end();
    } else if (!waiting.isEmpty() && stage == Stage.IDLE && incarnation.isUnread()) {
      fail(materialize.gone("it was created anew, and no event of it came yet", null));
    } else if (!waiting.isEmpty() && stage == Stage.IDLE) {
      LOGGER.info("{}: replays topic {} from its start", location, location.topic());
      materialize.begin();
      stage = Stage.MATERIALIZING;
    }
    if (stage != Stage.IDLE) {
      materialize.open();
    }
  }

  private void end() {
    materialize.close();
    enter(Stage.IDLE);
    isCopyStale = true;
  }

  private void enter(Stage next) {
    stage = next;
    progress = StoredScanProgress.of(Phase.RUNNING, "");
  }

  /** Whether there is something to do now. */
  boolean hasWork() {
    return isCopyStale || stage != Stage.IDLE && materialize.isOpen();
  }

  /**
   * Works on one chunk, on one record at least if there is one.
   *
   * @param expired whether the time of the chunk is over; asked after each record
   */
  void run(BooleanSupplier expired, long nowMs) {
    if (isCopyStale) {
      clear(expired);
      return;
    }
    try {
      if (materialize.run(expired)) {
        advance(expired, nowMs);
      }
    } catch (TopicReplay.UnreplayableException e) {
      fail(e);
    }
  }

  private void advance(BooleanSupplier expired, long nowMs) {
    switch (stage) {
      case MATERIALIZING -> {
        LOGGER.info("{}: the topic is replayed up to offset {}", location, materialize.next());
        sharing = waiting;
        enter(Stage.REPLACING);
      }
      case REPLACING -> replace(expired, nowMs);
      case REMOVING -> remove(expired, nowMs);
      case IDLE -> throw new IllegalStateException("there is nothing to replay");
    }
  }

  private void clear(BooleanSupplier expired) {
    Chunk chunk = copyScan.run(progress.cursor(), expired, (key, entry) -> null);
    // To begin at the first key again would pass all that is removed once more.
    progress = progress.after(chunk, chunk.changed());
    if (chunk.whole()) {
      isCopyStale = false;
      enter(stage);
    }
  }

  private void replace(BooleanSupplier expired, long nowMs) {
    long[] compared = {0};
    Chunk chunk =
        copyScan.run(
            progress.cursor(),
            expired,
            (key, materialized) -> {
              replace(key, materialized, nowMs);
              compared[0]++;
              return materialized;
            });
    progress = progress.after(chunk, compared[0]);
    if (chunk.whole()) {
      stage = Stage.REMOVING;
    }
  }

  private void replace(byte[] key, Entry materialized, long nowMs) {
    byte[] stored = entries.get(key);
    Entry present = stored == null ? null : EntryCodec.decode(stored);
    Entry next = replacement(key, present, materialized, nowMs);
    if (next != present) {
      derive(key, present, next);
      entries.put(key, EntryCodec.encode(next));
    }
  }

  /**
   * An event that makes its task fail does so here, too. Some of its rows may be out by then, so
   * that the transaction must not be committed: only the next attempt knows better.
   */
  private void derive(byte[] key, Entry before, Entry after) {
    String topic = location.topic();
    int partition = location.partition();
    failedEvents
        .reasonToPassOver(topic, partition, after.offset())
        .ifPresent(
            reason -> {
              throw materialize.gone(
                  "its event at offset %d: %s"
                      .formatted(TopicIncarnation.offset(after.offset()), reason),
                  null);
            });
    try {
      deriver.replace(key, before, after, out);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      throw failedEvents.of(topic, partition, after.offset(), e);
    }
  }

  /** Compares what there is once more: events may have changed it since its turn in the copy. */
  private void remove(BooleanSupplier expired, long nowMs) {
    Chunk chunk =
        scan.run(
            progress.cursor(),
            expired,
            (key, present) -> {
              byte[] materialized = copy.get(key);
              return materialized == null
                  ? removed(present, nowMs)
                  : replacement(key, present, EntryCodec.decode(materialized), nowMs);
            });
    progress = progress.after(chunk, 0);
    if (chunk.whole()) {
      LOGGER.info("{}: the state is as replayed, {} records", location, progress.done());
      builds.replayed(sharing);
      end();
    }
  }

  /**
   * @param present null: there is none
   * @return what is there if it is as good
   */
  private Entry replacement(byte[] key, Entry present, Entry materialized, long nowMs) {
    Entry replayed = snapshots.now(key, materialized);
    boolean isOver =
        expiry.isOver(replayed, nowMs) && (present == null || expiry.isOver(present, nowMs));
    return isOver || isSame(present, replayed) ? present : inPlaceOf(present, replayed, nowMs);
  }

  private static boolean isSame(Entry one, Entry other) {
    return one != null
        && one.deleted() == other.deleted()
        && Objects.equals(one.version(), other.version())
        && one.left().equals(other.left())
        && Objects.equals(one.value(), other.value())
        && one.keySchemaId() == other.keySchemaId()
        && one.inferred() == other.inferred()
        && one.unreadableAt() == other.unreadableAt()
        && (one.deleted() || one.offset() == other.offset());
  }

  /** A tombstone over a live record counts from now: until then rows may be on their way. */
  private static Entry inPlaceOf(Entry present, Entry replayed, long nowMs) {
    boolean removes =
        replayed.deleted() && present != null && (!present.deleted() || present.value() != null);
    return new Entry(
        replayed.version(),
        replayed.deleted(),
        replayed.left(),
        OrderGuard.revision(present, nowMs),
        replayed.offset(),
        removes ? nowMs : replayed.timestampMs(),
        replayed.value(),
        replayed.keySchemaId(),
        replayed.inferred(),
        replayed.unreadableAt());
  }

  /**
   * What the topic does not tell of becomes a tombstone that refuses no event, as if there were no
   * entry; but the revisions of the record go on rising.
   */
  private Entry removed(Entry present, long nowMs) {
    boolean isBare =
        present.deleted()
            && present.version() == null
            && present.left().isEmpty()
            && !present.unreadable();
    return isBare || expiry.isOver(present, nowMs)
        ? present
        : new Entry(
            null,
            true,
            List.of(),
            OrderGuard.revision(present, nowMs),
            present.offset(),
            nowMs,
            null,
            present.keySchemaId(),
            false,
            Entry.READABLE);
  }

  /** How far it is, for people. */
  String progress() {
    String text =
        switch (stage) {
          case IDLE -> "waits for the replay of topic %s to begin".formatted(location.topic());
          case MATERIALIZING -> materialize.progress();
          case REPLACING, REMOVING ->
              "puts the replayed records in place, %d of about %d"
                  .formatted(progress.done(), Math.max(progress.done(), entries.estimatedSize()));
        };
    return "partition %d: %s".formatted(location.partition(), text);
  }

  /** Lets go of the topic; what it remembers stays. */
  @Override
  public void close() {
    materialize.close();
  }
}
