package io.indexview.streams.health;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What one record set did since the process started. Safe for use by several threads. */
public final class RecordSetCounters {
  private final LongAdder[] outcomes = new LongAdder[Outcome.values().length];
  private final LongAdder purged = new LongAdder();
  private final LongAdder unnamed = new LongAdder();
  private final LongAdder diskReads = new LongAdder();
  private final LongAdder diskWrites = new LongAdder();

  RecordSetCounters() {
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = new LongAdder();
    }
  }

  public void count(Outcome outcome) {
    outcomes[outcome.ordinal()].increment();
  }

  public void countPurged(long tombstones) {
    purged.add(tombstones);
  }

  /** Records that were deleted because an ad-hoc snapshot did not name them. */
  public void countUnnamed(long records) {
    unnamed.add(records);
  }

  /** An entry that was not on the heap was asked for on disk. */
  public void countDiskRead() {
    diskReads.increment();
  }

  /** Entries that were written to disk. */
  public void countDiskWrites(long entries) {
    diskWrites.add(entries);
  }

  public long diskReads() {
    return diskReads.sum();
  }

  public long diskWrites() {
    return diskWrites.sum();
  }

  public long unnamed() {
    return unnamed.sum();
  }

  public long total(Outcome outcome) {
    return outcomes[outcome.ordinal()].sum();
  }

  public long purged() {
    return purged.sum();
  }

  /** What became of one change event; each event counts once. */
  public enum Outcome {
    APPLIED,
    STALE,
    DUPLICATE,
    SUPERSEDED,
    /** Went to the dead-letter topic: undecodable, or a view could not be derived from it. */
    DEAD,
    /** The event said nothing: it is the tombstone that follows a delete in an envelope topic. */
    EMPTY;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
