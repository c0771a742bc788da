package io.indexview.kvstore;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Names the keys of records that change, as hints: a key may be named late, more than once, or for
 * a change that was undone since. What the record is now, a read says. A change is never left out
 * unless a batch says so ({@link Batch#hasGap}).
 *
 * <p>What was not polled yet is kept in bounded memory: of one who is too slow the oldest is
 * dropped, and the next batch has a gap. The store and its writers wait for nobody.
 *
 * <p>One thread polls; any thread may close.
 */
public interface KvChanges extends AutoCloseable {
  /**
   * What came since the last poll. Waits for the first change only, and while it waits position and
   * memory still move on.
   *
   * @param timeout how long to wait at most; zero: not at all
   * @return possibly without a key, when the time is over or this is closed meanwhile
   * @throws KvStoreException.Unavailable in an outage or if the thread is interrupted; nothing is
   *     lost, and the next poll goes on
   * @throws KvStoreException.ChangesUnsupported if the store has come to be one that cannot
   * @throws IllegalStateException if this was closed before
   */
  Batch poll(Duration timeout);

  /**
   * How long ago the moment is before which every acknowledged change was named by the polls so
   * far. Not known before a poll has shown it; a store may never know. For the thread that polls.
   */
  default Optional<Duration> provenAge() {
    return Optional.empty();
  }

  /** Idempotent; ends a poll that waits. */
  @Override
  void close();

  /**
   * A batch of changes, in no particular order; all of a transaction, unless there is a gap.
   *
   * @param keys of records that changed, each once
   * @param hasGap whether changes before this batch may be missing: a scan that begins now finds
   *     them
   * @param next where to go on from once everything in this batch is dealt with, its gap included
   */
  record Batch(List<KvKey> keys, boolean hasGap, KvChangePosition next) {
    public Batch {
      keys = List.copyOf(keys);
      Objects.requireNonNull(next, "next");
    }
  }
}
