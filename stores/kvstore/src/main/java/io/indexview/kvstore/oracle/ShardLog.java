package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Makes hints of what the log of one shard says: the keys of a transaction once it is committed.
 * Every entry of the log has a number, and a stream of them begins where it is asked to.
 *
 * <p>A master that dies may take entries with it that were streamed already, and its successor
 * gives their numbers to others. So the last entry that was seen is remembered with a check, and a
 * stream that begins again has to come past that very entry; otherwise there is a gap.
 */
final class ShardLog {
  /** A transaction lasts no longer than a request may; in the master's time. */
  static final long MAX_TRANSACTION_MS = 30_000;

  /** Limit in entries: some hundredths of a second. */
  private static final long MAX_AHEAD = 1_000;

  private static final long NO_STRANGERS = Long.MIN_VALUE;
  private static final long UNTIL_FIRST_ENTRY = Long.MAX_VALUE;

  private final String shard;
  private final long lookBack;
  private final Function<byte[], Optional<KvKey>> wanted;
  private final ChangeHints hints;

  /** Transactions that change what is asked for and are not committed yet, as they began. */
  private final Map<Long, OpenTransaction> open = new LinkedHashMap<>();

  private int openBytes;

  /** The last entry, and where to read on from; null: nothing is known. */
  private KvChangePosition.Entry seen;

  private Stream stream;

  /**
   * A stream that has nothing to go on from begins with a gap; not the first that is from now on.
   */
  private boolean isGapAhead;

  /** Whether the stream repeats what is known, until it is past the last entry that was seen. */
  private boolean repeats;

  /** Whether another stream is followed that has yet to come to the last entry that was seen. */
  private boolean skips;

  /** Transactions that are committed up to here are no news. */
  private long newAfter;

  /** Entry up to which transactions may be committed that began before the stream. */
  private long strangersUntil = NO_STRANGERS;

  private static final class OpenTransaction {
    final long first;
    final long since;
    final List<KvKey> keys = new ArrayList<>(2);
    boolean tooLarge;

    OpenTransaction(long first, long since) {
      this.first = first;
      this.since = since;
    }
  }

  /**
   * @param shard its name
   * @param from where to go on from, unknown if its check is 0; null: from now on
   * @param lookBack how far before the end of the log a stream begins that has nothing to go on
   *     from
   * @param wanted the key of an entry, if it is asked for
   */
  ShardLog(
      String shard,
      KvChangePosition.Entry from,
      long lookBack,
      Function<byte[], Optional<KvKey>> wanted,
      ChangeHints hints) {
    this.shard = shard;
    this.isGapAhead = from != null;
    this.seen = from == null || from.check() == 0 ? null : from;
    this.lookBack = lookBack;
    this.wanted = wanted;
    this.hints = hints;
    if (seen != null) {
      hints.passed(shard, seen);
    }
  }

  /** The log does not go back so far any more: from the next stream on, with a gap. */
  synchronized void forget() {
    seen = null;
  }

  /** Whether everything up to this number was read. */
  synchronized boolean hasReached(long number) {
    return isLevel() && seen.sequence() >= number;
  }

  /** Whether its stream is past the last entry that was seen before it, so that it was there. */
  private boolean isLevel() {
    return seen != null && !repeats && !skips;
  }

  /**
   * A stream that is to take the place of the last one.
   *
   * @param end the last number in the log a moment ago
   */
  synchronized Stream begin(long end) {
    open.clear();
    openBytes = 0;
    skips = false;
    if (seen != null && end < seen.sequence()) {
      diverge();
    }
    boolean hasGap = seen == null && isGapAhead;
    isGapAhead = true;
    if (seen == null) {
      stream = new Stream(false, Math.max(1, end - lookBack), end);
      repeats = false;
      newAfter = end;
      strangersUntil = UNTIL_FIRST_ENTRY;
      hints.passed(shard, new KvChangePosition.Entry(end, 0));
    } else {
      stream = new Stream(true, seen.resumeAt(), end);
      repeats = true;
      newAfter = seen.sequence();
    }
    if (hasGap) {
      // Only now: what is committed from here on is news, and need not be found by the scan.
      hints.setGap();
    }
    return stream;
  }

  /**
   * Goes on with another stream of the same log, which is as far or a little behind; what it says
   * again is passed over.
   *
   * @param last the number of its last entry
   * @param check of that entry, see {@link #check}
   * @return what takes its entries from now on; empty: it is ahead or far behind, or is of another
   *     log
   */
  synchronized Optional<Stream> goOnWith(long last, long check) {
    if (stream == null
        || !isLevel()
        || seen.sequence() < last
        || seen.sequence() - last > MAX_AHEAD
        || (seen.sequence() == last && seen.check() != check)) {
      return Optional.empty();
    }
    skips = seen.sequence() > last;
    stream = new Stream(stream);
    return Optional.of(stream);
  }

  /** The entries of one stream, in their order; of one that was replaced they are ignored. */
  final class Stream {
    private final boolean exact;
    private final long startAt;
    private final long end;
    private final long began;
    private final long taken = System.nanoTime();
    private final CountDownLatch atEnd;

    private Stream(boolean exact, long startAt, long end) {
      this.exact = exact;
      this.startAt = startAt;
      this.end = end;
      this.began = System.nanoTime();
      this.atEnd = new CountDownLatch(1);
    }

    private Stream(Stream before) {
      this.exact = before.exact;
      this.startAt = before.startAt;
      this.end = before.end;
      this.began = before.began;
      this.atEnd = before.atEnd;
    }

    ShardLog log() {
      return ShardLog.this;
    }

    /** When it began, as of {@link System#nanoTime}; going on with another changes nothing. */
    long began() {
      return began;
    }

    /** Whether another one has to take its place: its entries are not those that were expected. */
    boolean isOver() {
      synchronized (ShardLog.this) {
        return stream != this;
      }
    }

    /**
     * Says that the stream begins with the first entry that the log ever had, so nothing began
     * before.
     */
    void beginsWithLog() {
      synchronized (ShardLog.this) {
        if (stream == this) {
          knowsAllBegun();
        }
      }
    }

    /**
     * Says that the log was read to its end when the stream was older than a transaction can be. A
     * log without writes does not show that by its times.
     */
    void outlivesStrangers() {
      synchronized (ShardLog.this) {
        if (stream == this && isLevel() && strangersUntil != NO_STRANGERS) {
          knowsAllBegun();
        }
      }
    }

    /**
     * What was seen of another stream is not in this one's log if that ends before: it may never
     * come so far.
     *
     * @param number the last one in the log
     * @param asked when, as of {@link System#nanoTime}
     */
    void logEnds(long number, long asked) {
      synchronized (ShardLog.this) {
        if (stream == this && skips && number < seen.sequence() && asked - taken >= 0) {
          diverge();
        }
      }
    }

    /** Waits until it has come to where the log ended when it began. */
    void awaitEnd(Duration max) throws InterruptedException {
      atEnd.await(max.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether it has to begin where it is asked to, and not at what is left of the log. */
    boolean isExact() {
      return exact;
    }

    /** The number of the first entry. */
    long startAt() {
      return startAt;
    }

    private void passed(long number) {
      if (number >= end) {
        atEnd.countDown();
      }
    }

    /** A record was written or deleted. */
    void changed(long number, long transaction, long time, byte[] key) {
      synchronized (ShardLog.this) {
        if (arrived(this, number, time, check(transaction, time, key))) {
          change(number, transaction, time, key);
          advance(time);
          passed(number);
        }
      }
    }

    void committed(long number, long transaction, long time) {
      synchronized (ShardLog.this) {
        if (arrived(this, number, time, check(transaction, time, null))) {
          commit(number, transaction, time);
          passed(number);
        }
      }
    }

    void aborted(long number, long transaction, long time) {
      synchronized (ShardLog.this) {
        if (arrived(this, number, time, check(transaction, time, null))) {
          end(transaction);
          advance(time);
          passed(number);
        }
      }
    }
  }

  /**
   * Passes on that nothing before what was seen is open, so that a reader can go on from there,
   * also if no entry comes for a while.
   */
  private void knowsAllBegun() {
    strangersUntil = NO_STRANGERS;
    if (isLevel()) {
      hints.passed(shard, seen);
    }
  }

  /** Whether the entry is one to read. */
  private boolean arrived(Stream from, long number, long time, long check) {
    if (from != stream) {
      return false;
    }
    if (skips) {
      boolean isSeen = number == seen.sequence() && check == seen.check();
      if (isSeen) {
        skips = false;
      } else if (number >= seen.sequence()) {
        diverge();
      }
      return false;
    }
    if (strangersUntil == UNTIL_FIRST_ENTRY) {
      strangersUntil = time + MAX_TRANSACTION_MS;
    }
    boolean isLast = seen != null && number == seen.sequence() && check == seen.check();
    if (seen == null || (number > seen.sequence() && !repeats)) {
      seen = new KvChangePosition.Entry(number, check);
    } else if (isLast) {
      boolean first = repeats;
      repeats = false;
      // The engine connects by itself, too, and begins with what it gave last.
      return first;
    } else if (!repeats || number >= seen.sequence()) {
      diverge();
      return false;
    }
    return true;
  }

  /** Begins anew at the end of the log, with a gap: this is not the log that was read. */
  private void diverge() {
    seen = null;
    stream = null;
    skips = false;
  }

  private void change(long number, long transaction, long time, byte[] key) {
    Optional<KvKey> changed = wanted.apply(key);
    if (changed.isEmpty()) {
      return;
    }
    OpenTransaction changes =
        open.computeIfAbsent(transaction, id -> new OpenTransaction(number, time));
    int size = ChangeHints.size(changed.get());
    if (changes.tooLarge || openBytes + size > ChangeHints.MAX_BYTES) {
      changes.tooLarge = true;
    } else {
      changes.keys.add(changed.get());
      openBytes += size;
    }
  }

  private void commit(long number, long transaction, long time) {
    OpenTransaction changes = end(transaction);
    boolean isNews = number > newAfter;
    if (isNews && (time < strangersUntil || (changes != null && changes.tooLarge))) {
      hints.setGap();
    }
    if (isNews && changes != null) {
      seen = position(time);
      hints.add(shard, changes.keys, published(time));
    } else {
      advance(time);
    }
  }

  private OpenTransaction end(long transaction) {
    OpenTransaction changes = open.remove(transaction);
    if (changes != null) {
      changes.keys.forEach(key -> openBytes -= ChangeHints.size(key));
    }
    return changes;
  }

  /** While the stream repeats itself the position is that of what was dealt with. */
  private void advance(long time) {
    if (!repeats) {
      seen = position(time);
      hints.passed(shard, published(time));
    }
  }

  /** While there may be strangers nobody can go on from here without a gap. */
  private KvChangePosition.Entry published(long time) {
    return time < strangersUntil
        ? new KvChangePosition.Entry(seen.resumeAt(), seen.sequence(), 0)
        : seen;
  }

  private KvChangePosition.Entry position(long time) {
    long resumeAt = seen.sequence();
    while (!open.isEmpty()) {
      Map.Entry<Long, OpenTransaction> first = open.entrySet().iterator().next();
      if (time - first.getValue().since <= 10 * MAX_TRANSACTION_MS) {
        resumeAt = Math.min(resumeAt, first.getValue().first);
        break;
      }
      // Nobody will end it: its master is gone.
      end(first.getKey());
    }
    return new KvChangePosition.Entry(resumeAt, seen.sequence(), seen.check());
  }

  /**
   * Tells an entry from another one of the same number. Never 0, which stands for an entry that
   * nobody saw.
   *
   * @param key null: it ends the transaction
   */
  static long check(long transaction, long time, byte[] key) {
    long hash = transaction * 0x9E3779B97F4A7C15L + time;
    if (key != null) {
      for (byte b : key) {
        hash = 31 * hash + b;
      }
    }
    hash = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
    return hash == 0 ? 1 : hash;
  }
}
