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

  private enum Phase {
    IDLE,
    /** Makes the copy from the topic. */
    FOLDING,
    /** Puts the copy in the place of the state. */
    SWAPPING
  }

  private final TaskPlace place;
  private final ServedGenerations served;
  private final Entries entries;
  private final ReplayCopy copy;
  private final TopicFold fold;
  private final ReplaySwap swap;
  private Phase phase = Phase.IDLE;
  private byte[] cursor;
  private long compared;
  private Set<String> swapFor = Set.of();
  private final Set<String> asked = new HashSet<>();
  private Set<String> waiting = Set.of();
  private Set<String> refused = Set.of();
  private String refusal = "";

  /**
   * What it works with.
   *
   * @param copy a store that is its own; what it holds at a start does not matter
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

  /** Begins anew whatever the task was at: only the state and the memory are committed. */
  public Replay(TaskPlace place, Parts parts) {
    this.place = place;
    this.served = new ServedGenerations(parts.memory());
    this.entries = parts.entries();
    this.copy = new ReplayCopy(parts.copy());
    this.fold = new TopicFold(place, parts.logs(), parts.fold(), copy, parts.purges());
    this.swap =
        new ReplaySwap(
            entries, copy, parts.purges(), parts.markers(), parts.deriver(), parts.out());
  }

  /** A live event was processed. */
  public void eventCame(long offset) {
    fold.liveIsAt(offset + 1);
  }

  /** What is folded is of an earlier topic of the name. */
  public void topicIsAnother() {
    if (phase != Phase.IDLE) {
      end();
    }
  }

  @Override
  public void beforeEvent(byte[] stateKey, long nowMs) {
    if (phase == Phase.SWAPPING
        && (cursor == null || Arrays.compareUnsigned(stateKey, cursor) > 0)) {
      swap.settle(stateKey, nowMs);
    }
  }

  /** Begins when somebody has asked since the last call, and ends when nobody has. */
  public void poll(long nowMs) {
    served.retain(asked);
    waiting = new HashSet<>(asked);
    waiting.removeIf(served::contains);
    asked.clear();
    if (waiting.isEmpty() && phase != Phase.IDLE) {
      LOGGER.info("{}: nobody wants the replay any more", place);
      end();
    } else if (!waiting.isEmpty() && phase == Phase.IDLE) {
      LOGGER.info("{}: replays topic {} from its start", place, place.topic());
      fold.begin();
      phase = Phase.FOLDING;
    }
    if (phase == Phase.FOLDING) {
      fold.open(nowMs);
    }
  }

  private void end() {
    fold.close();
    copy.discard();
    phase = Phase.IDLE;
  }

  /** Whether there is something to do now. */
  public boolean hasWork() {
    return copy.isStale()
        || switch (phase) {
          case IDLE -> false;
          case FOLDING -> fold.isOpen();
          case SWAPPING -> true;
        };
  }

  /**
   * Works on one slice, on one record at least if there is one.
   *
   * @param expired whether the time of the slice is over; asked after each record
   */
  public void run(BooleanSupplier expired, long nowMs) {
    if (copy.isStale()) {
      copy.clear(expired);
    } else if (phase == Phase.FOLDING) {
      fold(expired, nowMs);
    } else {
      swap(expired, nowMs);
    }
  }

  private void fold(BooleanSupplier expired, long nowMs) {
    try {
      if (fold.run(expired, nowMs)) {
        LOGGER.info("{}: the topic is replayed up to offset {}", place, fold.next());
        fold.close();
        swapFor = waiting;
        cursor = null;
        compared = 0;
        phase = Phase.SWAPPING;
      }
    } catch (UnreplayableException e) {
      LOGGER.error("{}: the replay fails", place, e);
      refusal = e.getMessage();
      refused = waiting;
      end();
    }
  }

  private void swap(BooleanSupplier expired, long nowMs) {
    ReplaySwap.Slice slice = swap.run(cursor, expired, nowMs);
    cursor = slice.last();
    compared += slice.records();
    if (slice.whole()) {
      LOGGER.info("{}: what was replayed is in place, {} records", place, compared);
      served.add(swapFor);
      end();
    }
  }

  @Override
  public String waitsFor(PublishedGeneration generation) {
    asked.add(generation.key());
    return served.contains(generation.key())
        ? ""
        : "partition %d: %s".formatted(place.partition(), progress());
  }

  private String progress() {
    return switch (phase) {
      case IDLE -> "waits for the replay of topic %s to begin".formatted(place.topic());
      case FOLDING -> fold.progress();
      case SWAPPING ->
          "puts the replayed records in place, %d of about %d"
              .formatted(compared, Math.max(compared, entries.estimatedSize()));
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
