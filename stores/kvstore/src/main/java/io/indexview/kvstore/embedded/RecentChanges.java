package io.indexview.kvstore.embedded;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Get;
import com.sleepycat.je.Put;
import io.indexview.kvstore.KvChangePosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The keys of the last commits, for all who follow changes: each knows the number of the commit
 * that it has come to. Bounded in memory, the oldest go first; nothing is written with a commit.
 *
 * <p>Numbers go on when the engine was closed in order, but each opening that commits something has
 * an epoch of its own: a copy that is put back comes to the same numbers, for other commits. So of
 * the positions of earlier openings only that one is known at which the last one was closed. After
 * a crash nobody knows it.
 */
final class RecentChanges {
  /** What the keys of one transaction may take; of more, only that they changed is remembered. */
  static final int MAX_BYTES = 8 << 20;

  /** What a commit, and each of its keys, has in objects around it. */
  static final int OVERHEAD_BYTES = 64;

  private static final byte[] CLOSED_AT_KEY = "changes.closed".getBytes(StandardCharsets.UTF_8);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Database meta;
  private final TreeMap<Long, List<byte[]>> commits = new TreeMap<>();
  private final long epoch = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

  /** Epoch of the change number at which the opening began. */
  private final long closedEpoch;

  private final long openedAt;
  private long bytes;

  /** Positions before it have a gap. */
  private long completeAfter;

  private long last;
  private boolean closed;

  /**
   * Commits that follow a position.
   *
   * @param keys of each, in encoded form
   * @param hasGap whether some are forgotten; then there are none, and what comes next comes after
   *     everything that was committed so far
   * @param next the position after them
   * @param isLast whether nothing was committed after them
   */
  record Section(
      List<List<byte[]>> keys, boolean hasGap, KvChangePosition.Entry next, boolean isLast) {}

  /** Continues the numbers of the last opening, if that was closed in order. */
  RecentChanges(Database meta) {
    this.meta = meta;
    DatabaseEntry key = new DatabaseEntry(CLOSED_AT_KEY);
    DatabaseEntry stored = new DatabaseEntry();
    if (meta.get(null, key, stored, Get.SEARCH, null) == null) {
      closedEpoch = epoch;
    } else {
      ByteBuffer closedAt = ByteBuffer.wrap(stored.getData());
      closedEpoch = closedAt.getLong();
      last = closedAt.getLong();
      completeAfter = last;
      // Before the first commit of this opening, after which a crash must not leave it.
      meta.delete(null, key, null);
    }
    openedAt = last;
  }

  /** What a transaction changed; to be called before the write is acknowledged. */
  void add(ChangedKeys keys) {
    if (keys.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      last++;
      if (keys.areTooMany()) {
        commits.clear();
        bytes = 0;
        completeAfter = last;
      } else {
        commits.put(last, keys.list());
        bytes += keys.bytes();
        forgetOldest();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void forgetOldest() {
    while (bytes > MAX_BYTES) {
      Map.Entry<Long, List<byte[]>> oldest = commits.pollFirstEntry();
      bytes -= ChangedKeys.bytes(oldest.getValue());
      completeAfter = oldest.getKey();
    }
  }

  /** Where everything that was committed so far lies before. */
  KvChangePosition.Entry now() {
    lock.lock();
    try {
      return entry(last);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The commits after a position, waited for if there are none yet.
   *
   * @param keys about how many at most, but whole commits
   * @param nanos how long to wait
   * @param stop ends the waiting, after {@link #wake}
   */
  Section after(KvChangePosition.Entry position, int keys, long nanos, BooleanSupplier stop)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (isAtEnd(position) && !closed && !stop.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (!position.equals(entry(position.sequence()))
          || position.sequence() > last
          || position.sequence() < completeAfter) {
        return new Section(List.of(), true, entry(last), true);
      }
      return section(position.sequence(), keys);
    } finally {
      lock.unlock();
    }
  }

  private boolean isAtEnd(KvChangePosition.Entry position) {
    return position.equals(entry(last));
  }

  private KvChangePosition.Entry entry(long number) {
    return new KvChangePosition.Entry(number, number > openedAt ? epoch : closedEpoch);
  }

  private Section section(long after, int atMost) {
    List<List<byte[]>> taken = new ArrayList<>();
    long next = after;
    int count = 0;
    for (Map.Entry<Long, List<byte[]>> commit : commits.tailMap(after, false).entrySet()) {
      if (count >= atMost) {
        break;
      }
      taken.add(commit.getValue());
      count += commit.getValue().size();
      next = commit.getKey();
    }
    return new Section(taken, false, entry(next), next == last);
  }

  /** Wakes threads that wait, so that they see whether to stop. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waiting. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets the next opening go on with the numbers; nothing may be added afterwards. */
  void saveLast() {
    byte[] closedAt =
        ByteBuffer.allocate(2 * Long.BYTES).putLong(entry(last).check()).putLong(last).array();
    DatabaseEntry key = new DatabaseEntry(CLOSED_AT_KEY);
    meta.put(null, key, new DatabaseEntry(closedAt), Put.OVERWRITE, null);
  }

  /** The keys that one transaction changes, each time it does. For one thread. */
  static final class ChangedKeys {
    private List<byte[]> keys = new ArrayList<>(2);
    private int bytes = OVERHEAD_BYTES;
    private boolean tooMany;

    void add(byte[] key) {
      if (tooMany) {
        return;
      }
      bytes += key.length + OVERHEAD_BYTES;
      if (bytes > MAX_BYTES) {
        tooMany = true;
        keys = List.of();
      } else {
        keys.add(key);
      }
    }

    boolean isEmpty() {
      return keys.isEmpty() && !tooMany;
    }

    boolean areTooMany() {
      return tooMany;
    }

    List<byte[]> list() {
      return keys;
    }

    int bytes() {
      return bytes;
    }

    static int bytes(List<byte[]> keys) {
      int bytes = OVERHEAD_BYTES;
      for (byte[] key : keys) {
        bytes += key.length + OVERHEAD_BYTES;
      }
      return bytes;
    }
  }
}
