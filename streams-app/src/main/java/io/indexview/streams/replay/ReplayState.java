package io.indexview.streams.replay;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * How far a task is with replays, as it remembers it over a crash.
 *
 * @param served generations, by key, that have their replay and are not built yet
 * @param attempt numbers the folds; the copy of another one is of no use
 * @param next offset of the record that is folded next
 * @param swapFor generations that will be served after the swap
 * @param cursor key of the last record put in place; null: none. Not copied
 * @param compared records so far
 */
record ReplayState(
    Set<String> served,
    long attempt,
    Phase phase,
    long next,
    Set<String> swapFor,
    byte[] cursor,
    long compared) {
  static final ReplayState NONE = idle(Set.of(), 0);

  /** The order is part of the stored format: only append. */
  enum Phase {
    IDLE,
    /** Makes the copy from the topic. */
    FOLDING,
    /** Puts the copy in the place of the state. */
    SWAPPING
  }

  ReplayState {
    served = Set.copyOf(served);
    Objects.requireNonNull(phase, "phase");
    swapFor = Set.copyOf(swapFor);
  }

  private static ReplayState idle(Set<String> served, long attempt) {
    return new ReplayState(served, attempt, Phase.IDLE, 0, Set.of(), null, 0);
  }

  boolean isRunning() {
    return phase != Phase.IDLE;
  }

  ReplayState begun() {
    return new ReplayState(served, attempt + 1, Phase.FOLDING, 0, Set.of(), null, 0);
  }

  ReplayState folded(long upTo) {
    return new ReplayState(served, attempt, Phase.FOLDING, upTo, Set.of(), null, 0);
  }

  ReplayState swapping(Set<String> generations) {
    return new ReplayState(served, attempt, Phase.SWAPPING, next, generations, null, 0);
  }

  ReplayState swapped(byte[] last, long more) {
    return new ReplayState(served, attempt, Phase.SWAPPING, next, swapFor, last, compared + more);
  }

  ReplayState done() {
    Set<String> all = new HashSet<>(served);
    all.addAll(swapFor);
    return idle(all, attempt);
  }

  ReplayState abandoned() {
    return idle(served, attempt);
  }

  /** Without the generations that are built, or gone. */
  ReplayState without(Set<String> others) {
    Set<String> left = new HashSet<>(served);
    left.removeAll(others);
    return new ReplayState(left, attempt, phase, next, swapFor, cursor, compared);
  }
}
