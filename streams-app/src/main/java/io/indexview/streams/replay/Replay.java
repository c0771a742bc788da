package io.indexview.streams.replay;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.build.BuildGate;
import io.indexview.streams.build.TaskMemory;
import io.indexview.streams.build.TaskPlace;
import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.HistoryFold;
import io.indexview.streams.derive.MarkerExpiry;
import io.indexview.streams.derive.RecordWatch;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.replay.ReplayState.Phase;
import io.indexview.streams.resnapshot.PastPurges;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays one partition of the primary-change topic for the generations that ask for it: folds it
 * into a copy beside the state up to where the live events are, then puts the copy in place record
 * by record. A record that a live event is about to change has its turn before. Works in slices;
 * not safe for use by several threads.
 *
 * <p>A generation may be built once a whole swap has come after the task learned of it. So one that
 * is published while the topic is folded shares that replay, and one that comes later gets another.
 */
public final class Replay implements BuildGate, RecordWatch, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Replay.class);
  private static final String MEMORY = "replay";

  private final TaskPlace place;
  private final TaskMemory memory;
  private final Entries entries;
  private final ReplayCopy copy;
  private final TopicFold fold;
  private final ReplaySwap swap;
  private ReplayState state;
  private final Set<String> asked = new HashSet<>();
  private Set<String> waiting = Set.of();
  private Set<String> refused = Set.of();
  private String refusal = "";

  /**
   * What it works with.
   *
   * @param copy a store that is its own, and that may be found empty after any start
   */
  public record Parts(
      HistoryFold fold,
      StateDeriver deriver,
      Entries entries,
      Entries copy,
      TaskMemory memory,
      PastPurges purges,
      ChangeLogs logs,
      MarkerExpiry markers,
      TaskOutput out) {}

  /** Goes on where the task was, if the copy is still there. */
  public Replay(TaskPlace place, Parts parts) {
    this.place = place;
    this.memory = parts.memory();
    this.entries = parts.entries();
    this.copy = new ReplayCopy(parts.copy());
    this.fold = new TopicFold(place, parts.logs(), parts.fold(), copy, parts.purges());
    this.swap =
        new ReplaySwap(
            entries, copy, parts.purges(), parts.markers(), parts.deriver(), parts.out());
    byte[] remembered = memory.get(MEMORY);
    this.state = remembered == null ? ReplayState.NONE : ReplayStateCodec.decode(remembered);
    if (state.isRunning() && !copy.holds(state.attempt(), state.next())) {
      LOGGER.info("{}: what was replayed is not here; the replay begins anew", place);
      save(state.begun());
    }
  }

  private void save(ReplayState changed) {
    state = changed;
    memory.put(MEMORY, ReplayStateCodec.encode(changed));
  }

  /** A live event was processed. */
  public void eventCame(long offset) {
    fold.liveIsAt(offset + 1);
  }

  @Override
  public void beforeEvent(byte[] stateKey, long nowMs) {
    if (state.phase() == Phase.SWAPPING
        && (state.cursor() == null || Arrays.compareUnsigned(stateKey, state.cursor()) > 0)) {
      swap.settle(stateKey, nowMs);
    }
  }

  /** Begins when somebody has asked since the last call, and ends when nobody has. */
  public void poll(long nowMs) {
    takeAsked();
    if (waiting.isEmpty() && state.isRunning()) {
      LOGGER.info("{}: nobody wants the replay any more", place);
      end(state.abandoned());
    } else if (!waiting.isEmpty() && !state.isRunning()) {
      LOGGER.info("{}: replays topic {} from its start", place, place.topic());
      save(state.begun());
    }
    if (state.phase() == Phase.FOLDING) {
      fold.open(state.next(), nowMs);
    }
  }

  /** Who has asked waits, or was served and is being built; nobody else is to be remembered. */
  private void takeAsked() {
    Set<String> others = new HashSet<>(state.served());
    others.removeAll(asked);
    if (!others.isEmpty()) {
      save(state.without(others));
    }
    waiting = new HashSet<>(asked);
    waiting.removeAll(state.served());
    asked.clear();
  }

  private void end(ReplayState next) {
    fold.close();
    save(next);
  }

  /** Whether there is something to do now. */
  public boolean hasWork() {
    return switch (state.phase()) {
      case IDLE -> !copy.isEmpty();
      case FOLDING -> isForeign() || fold.isOpen();
      case SWAPPING -> true;
    };
  }

  private boolean isForeign() {
    return !copy.isEmpty() && !copy.isOf(state.attempt());
  }

  /**
   * Works on one slice, on one record at least if there is one.
   *
   * @param expired whether the time of the slice is over; asked after each record
   */
  public void run(BooleanSupplier expired, long nowMs) {
    if (state.phase() == Phase.IDLE || isForeign()) {
      copy.clear(expired);
    } else if (state.phase() == Phase.FOLDING) {
      fold(expired, nowMs);
    } else {
      swap(expired, nowMs);
    }
  }

  private void fold(BooleanSupplier expired, long nowMs) {
    boolean caughtUp;
    try {
      caughtUp = fold.run(expired, nowMs);
    } catch (RecordsGoneException e) {
      LOGGER.error("{}: the replay fails", place, e);
      refusal = e.getMessage();
      refused = waiting;
      end(state.abandoned());
      return;
    }
    save(state.folded(fold.next()));
    copy.mark(state.attempt(), state.next());
    if (caughtUp) {
      LOGGER.info("{}: the topic is replayed up to offset {}", place, state.next());
      end(state.swapping(waiting));
    }
  }

  private void swap(BooleanSupplier expired, long nowMs) {
    ReplaySwap.Slice slice = swap.run(state.cursor(), expired, nowMs);
    save(state.swapped(slice.last(), slice.records()));
    if (slice.whole()) {
      LOGGER.info("{}: what was replayed is in place, {} records", place, state.compared());
      save(state.done());
    }
  }

  @Override
  public String waitsFor(PublishedGeneration generation) {
    asked.add(generation.key());
    return state.served().contains(generation.key())
        ? ""
        : "partition %d: %s".formatted(place.partition(), progress());
  }

  private String progress() {
    return switch (state.phase()) {
      case IDLE -> "waits for the replay of topic %s to begin".formatted(place.topic());
      case FOLDING -> fold.progress(state.next());
      case SWAPPING ->
          "puts the replayed records in place, %d of about %d"
              .formatted(state.compared(), Math.max(state.compared(), entries.estimatedSize()));
    };
  }

  @Override
  public String refuses(PublishedGeneration generation) {
    return refused.contains(generation.key()) ? refusal : "";
  }

  /** Lets go of the topic; what it remembers stays. */
  @Override
  public void close() {
    fold.close();
  }
}
