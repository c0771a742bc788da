package io.indexview.kvstore.embedded;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Get;
import com.sleepycat.je.Put;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hands out rising write numbers. Numbers are reserved on disk in chunks before they are used, so
 * none is ever given twice; what was reserved and not used is skipped after a crash.
 */
final class VlsnCounter {
  private static final byte[] RESERVED_KEY = "vlsn.reserved".getBytes(StandardCharsets.UTF_8);
  private static final long CHUNK = 1 << 16;

  private final Database meta;
  private final AtomicLong last;
  private volatile long reserved;

  VlsnCounter(Database meta) {
    this.meta = meta;
    DatabaseEntry stored = new DatabaseEntry();
    boolean found =
        meta.get(null, new DatabaseEntry(RESERVED_KEY), stored, Get.SEARCH, null) != null;
    reserved = found ? ByteBuffer.wrap(stored.getData()).getLong() : 0;
    last = new AtomicLong(reserved);
  }

  long next() {
    long vlsn = last.incrementAndGet();
    if (vlsn > reserved) {
      reserveUpTo(vlsn + CHUNK);
    }
    return vlsn;
  }

  long last() {
    return last.get();
  }

  /** Gives back what was reserved and not used; no number may be asked for afterwards. */
  synchronized void close() {
    store(last.get());
  }

  private synchronized void reserveUpTo(long bound) {
    if (bound - CHUNK > reserved) {
      store(bound);
      reserved = bound;
    }
  }

  private void store(long value) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    meta.put(null, new DatabaseEntry(RESERVED_KEY), new DatabaseEntry(bytes), Put.OVERWRITE, null);
  }
}
