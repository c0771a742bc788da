package io.indexview.kvstore.embedded;

import com.sleepycat.je.CacheMode;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Get;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.embedded.KeyRanges.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Reads committed records of a range, one bounded batch per call, with a cursor that lives no
 * longer than the call.
 */
record BatchReader(boolean keysOnly) {
  /**
   * Reads up to {@code limit} records in this direction; fewer only at the range's end.
   *
   * @param cacheMode whether what is read stays in the cache of the engine
   */
  List<StoredRecord> read(
      Database records, ByteRange range, KvDirection direction, int limit, CacheMode cacheMode) {
    List<StoredRecord> batch = new ArrayList<>(Math.min(limit, 1024));
    DatabaseEntry key = new DatabaseEntry();
    DatabaseEntry data = new DatabaseEntry();
    if (keysOnly) {
      data.setPartial(0, 0, true);
    }
    try (Cursor cursor = records.openCursor(null, CursorConfig.READ_COMMITTED)) {
      cursor.setCacheMode(cacheMode);
      boolean found =
          direction == KvDirection.FORWARD
              ? first(cursor, range, key, data)
              : last(cursor, range, key, data);
      Get step = direction == KvDirection.FORWARD ? Get.NEXT : Get.PREV;
      while (found && inside(range, direction, key.getData())) {
        batch.add(new StoredRecord(key.getData(), data.getData()));
        if (batch.size() == limit) {
          break;
        }
        found = cursor.get(key, data, step, null) != null;
      }
    }
    return batch;
  }

  private static boolean first(
      Cursor cursor, ByteRange range, DatabaseEntry key, DatabaseEntry data) {
    key.setData(range.lower());
    return cursor.get(key, data, Get.SEARCH_GTE, null) != null;
  }

  private static boolean last(
      Cursor cursor, ByteRange range, DatabaseEntry key, DatabaseEntry data) {
    if (range.upper() == null) {
      return cursor.get(key, data, Get.LAST, null) != null;
    }
    key.setData(range.upper());
    boolean beyond = cursor.get(key, data, Get.SEARCH_GTE, null) != null;
    return cursor.get(key, data, beyond ? Get.PREV : Get.LAST, null) != null;
  }

  private static boolean inside(ByteRange range, KvDirection direction, byte[] key) {
    return direction == KvDirection.FORWARD ? range.endsAfter(key) : range.startsAtOrBefore(key);
  }

  /** An encoded key and what is stored under it: 8 bytes of version, then the value. */
  record StoredRecord(byte[] key, byte[] data) {
    static byte[] data(long vlsn, byte[] value) {
      return ByteBuffer.allocate(Long.BYTES + value.length).putLong(vlsn).put(value).array();
    }

    static long vlsn(byte[] data) {
      return ByteBuffer.wrap(data).getLong();
    }

    static KvVersion version(String shard, long vlsn) {
      return new KvVersion(shard, vlsn);
    }

    KvRecord toRecord(String shard) {
      return toRecord(KeyCodec.decode(key), shard);
    }

    KvRecord toRecord(KvKey decoded, String shard) {
      byte[] value = Arrays.copyOfRange(data, Long.BYTES, data.length);
      return new KvRecord(decoded, value, version(shard, vlsn(data)));
    }
  }

  /** Walks over ranges batch by batch, resuming each batch after the last key that was read. */
  static final class BatchIterator<T> implements KvIterator<T> {
    /**
     * Records of one scan that stay in the cache of the engine. Of a longer scan most would be
     * evicted before they are read again, and others that are in use would be evicted for them.
     */
    private static final int CACHED_RECORDS = 1_000;

    /** Reads one batch; a batch shorter than the batch size is the range's last. */
    interface Batches {
      List<StoredRecord> read(
          ByteRange range, KvDirection direction, int limit, CacheMode cacheMode);
    }

    private final Batches batches;
    private final Function<StoredRecord, T> decoder;
    private final KvDirection direction;
    private final int batchSize;
    private final Deque<ByteRange> remaining;
    private long records;
    private Iterator<StoredRecord> batch = List.<StoredRecord>of().iterator();

    BatchIterator(
        Batches batches,
        Function<StoredRecord, T> decoder,
        List<ByteRange> ranges,
        KvDirection direction,
        int batchSize) {
      this.batches = batches;
      this.decoder = decoder;
      this.direction = direction;
      this.batchSize = batchSize;
      this.remaining = new ArrayDeque<>(ranges.size());
      for (ByteRange range : ranges) {
        if (direction == KvDirection.FORWARD) {
          remaining.addLast(range);
        } else {
          remaining.addFirst(range);
        }
      }
    }

    @Override
    public boolean hasNext() {
      while (!batch.hasNext() && !remaining.isEmpty()) {
        fetch();
      }
      return batch.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return decoder.apply(batch.next());
    }

    @Override
    public void close() {
      remaining.clear();
      batch = List.<StoredRecord>of().iterator();
    }

    private void fetch() {
      // The range leaves the queue only after it was read, so that a failed read can be repeated.
      ByteRange range = remaining.peekFirst();
      CacheMode mode = records < CACHED_RECORDS ? CacheMode.DEFAULT : CacheMode.UNCHANGED;
      List<StoredRecord> read = batches.read(range, direction, batchSize, mode);
      records += read.size();
      remaining.removeFirst();
      if (read.size() >= batchSize) {
        byte[] lastKey = read.get(read.size() - 1).key();
        remaining.addFirst(
            direction == KvDirection.FORWARD ? range.after(lastKey) : range.before(lastKey));
      }
      batch = read.iterator();
    }
  }
}
