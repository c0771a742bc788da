package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Records as this task wrote them last: the next change of one needs no read before. Whether it is
 * still so is the condition of the write. Those that were asked for longest ago go first. Safe for
 * use by several threads.
 */
final class WrittenRecords {
  /** What a record takes beside its bytes. */
  static final int OVERHEAD_BYTES = 400;

  private final long maxBytes;
  private final Map<KvKey, KvRecord> records = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /**
   * @param maxBytes of all records, estimated; 0: none is kept
   */
  WrittenRecords(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized Optional<KvRecord> of(KvKey key) {
    return Optional.ofNullable(records.get(key));
  }

  synchronized void put(KvRecord record) {
    forget(record.key());
    if (bytes(record) <= maxBytes) {
      records.put(record.key(), record);
      bytes += bytes(record);
      Iterator<KvRecord> oldest = records.values().iterator();
      while (bytes > maxBytes) {
        bytes -= bytes(oldest.next());
        oldest.remove();
      }
    }
  }

  synchronized void forget(KvKey key) {
    KvRecord forgotten = records.remove(key);
    bytes -= forgotten == null ? 0 : bytes(forgotten);
  }

  synchronized void clear() {
    records.clear();
    bytes = 0;
  }

  private static int bytes(KvRecord record) {
    return OVERHEAD_BYTES + KvRowWrite.bytes(record.key(), record.value());
  }
}
