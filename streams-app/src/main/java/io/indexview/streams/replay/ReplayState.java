package io.indexview.streams.replay;

import java.util.Objects;

/**
 * How far a task is with replays, as it remembers it over a crash.
 *
 * @param handledMs generations created until then have their replay; ms since the epoch, {@link
 *     Long#MIN_VALUE}: none
 * @param attempt numbers the folds; the copy of another one is of no use
 * @param next offset of the record that is folded next
 * @param forMs what {@code handledMs} will be after the swap
 * @param cursor key of the last record put in place; null: none. Not copied
 * @param compared records so far
 */
record ReplayState(
    long handledMs,
    long attempt,
    Phase phase,
    long next,
    long forMs,
    byte[] cursor,
    long compared) {
  static final ReplayState NONE =
      new ReplayState(Long.MIN_VALUE, 0, Phase.IDLE, 0, Long.MIN_VALUE, null, 0);

  /** The order is part of the stored format: only append. */
  enum Phase {
    IDLE,
    /** Makes the copy from the topic. */
    FOLDING,
    /** Puts the copy in the place of the state. */
    SWAPPING
  }

  ReplayState {
    Objects.requireNonNull(phase, "phase");
  }

  boolean isRunning() {
    return phase != Phase.IDLE;
  }

  ReplayState begun() {
    return new ReplayState(handledMs, attempt + 1, Phase.FOLDING, 0, Long.MIN_VALUE, null, 0);
  }

  ReplayState folded(long upTo) {
    return new ReplayState(handledMs, attempt, Phase.FOLDING, upTo, Long.MIN_VALUE, null, 0);
  }

  ReplayState swapping(long wantedMs) {
    return new ReplayState(handledMs, attempt, Phase.SWAPPING, next, wantedMs, null, 0);
  }

  ReplayState swapped(byte[] last, long more) {
    return new ReplayState(handledMs, attempt, Phase.SWAPPING, next, forMs, last, compared + more);
  }

  ReplayState done() {
    return new ReplayState(
        Math.max(handledMs, forMs), attempt, Phase.IDLE, 0, Long.MIN_VALUE, null, 0);
  }

  ReplayState abandoned() {
    return new ReplayState(handledMs, attempt, Phase.IDLE, 0, Long.MIN_VALUE, null, 0);
  }
}
