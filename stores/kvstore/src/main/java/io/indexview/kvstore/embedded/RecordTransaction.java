package io.indexview.kvstore.embedded;

import com.sleepycat.je.Cursor;
import com.sleepycat.je.CursorConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Get;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.Put;
import com.sleepycat.je.ReadOptions;
import com.sleepycat.je.Transaction;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.embedded.BatchReader.StoredRecord;
import io.indexview.kvstore.embedded.KeyRanges.ByteRange;
import java.util.Optional;

/**
 * Writes of one major path in one transaction of the engine. The caller holds the major path's
 * write lock; every write and delete takes a number.
 */
final class RecordTransaction {
  private final Handles handles;
  private final Transaction transaction;
  private final RecentChanges.ChangedKeys changed = new RecentChanges.ChangedKeys();

  RecordTransaction(Handles handles, Transaction transaction) {
    this.handles = handles;
    this.transaction = transaction;
  }

  RecentChanges.ChangedKeys changed() {
    return changed;
  }

  /**
   * @throws KvExecutionException if the condition does not hold
   */
  KvResult apply(int index, KvOperation operation) {
    byte[] key = KeyCodec.encode(operation.key());
    Optional<KvVersion> current = version(key);
    if (!holds(operation, current)) {
      String actual = current.map(v -> "the key has version " + v).orElse("the key has no record");
      throw new KvExecutionException(index, operation, actual, null);
    }
    return perform(operation, key, current);
  }

  void put(KvKey key, byte[] value) {
    write(KeyCodec.encode(key), value);
  }

  /** Removes a record, if there is one. */
  void delete(KvKey key) {
    byte[] encoded = KeyCodec.encode(key);
    if (handles.records().delete(transaction, new DatabaseEntry(encoded), null) != null) {
      handles.counter().next();
      changed.add(encoded);
    }
  }

  /** Applies an operation if its condition holds; empty: it does not. */
  Optional<KvResult> applyIf(KvOperation operation) {
    byte[] key = KeyCodec.encode(operation.key());
    Optional<KvVersion> current = version(key);
    return holds(operation, current)
        ? Optional.of(perform(operation, key, current))
        : Optional.empty();
  }

  private static boolean holds(KvOperation operation, Optional<KvVersion> current) {
    if (operation instanceof KvOperation.PutIfAbsent) {
      return current.isEmpty();
    }
    if (operation instanceof KvOperation.PutIfVersion put) {
      return current.equals(Optional.of(put.expected()));
    }
    if (operation instanceof KvOperation.DeleteIfVersion delete) {
      return current.equals(Optional.of(delete.expected()));
    }
    return true;
  }

  private KvResult perform(KvOperation operation, byte[] key, Optional<KvVersion> current) {
    Optional<byte[]> value = operation.newValue();
    if (value.isPresent()) {
      return new KvResult(Optional.of(write(key, value.get())), current);
    }
    if (current.isPresent()) {
      handles.counter().next();
      handles.records().delete(transaction, new DatabaseEntry(key), null);
      changed.add(key);
    }
    return new KvResult(Optional.empty(), current);
  }

  int delete(ByteRange range) {
    int deleted = 0;
    DatabaseEntry key = new DatabaseEntry(range.lower());
    DatabaseEntry noData = new DatabaseEntry();
    noData.setPartial(0, 0, true);
    try (Cursor cursor = handles.records().openCursor(transaction, CursorConfig.DEFAULT)) {
      boolean found = cursor.get(key, noData, Get.SEARCH_GTE, LockMode.RMW.toReadOptions()) != null;
      while (found && range.endsAfter(key.getData())) {
        handles.counter().next();
        cursor.delete(null);
        changed.add(key.getData());
        deleted++;
        found = cursor.get(key, noData, Get.NEXT, LockMode.RMW.toReadOptions()) != null;
      }
    }
    return deleted;
  }

  private Optional<KvVersion> version(byte[] key) {
    DatabaseEntry data = new DatabaseEntry();
    data.setPartial(0, Long.BYTES, true);
    DatabaseEntry search = new DatabaseEntry(key);
    ReadOptions forUpdate = LockMode.RMW.toReadOptions();
    boolean found = handles.records().get(transaction, search, data, Get.SEARCH, forUpdate) != null;
    return found
        ? Optional.of(StoredRecord.version(handles.shard(), StoredRecord.vlsn(data.getData())))
        : Optional.empty();
  }

  private KvVersion write(byte[] key, byte[] value) {
    long vlsn = handles.counter().next();
    DatabaseEntry data = new DatabaseEntry(StoredRecord.data(vlsn, value));
    handles.records().put(transaction, new DatabaseEntry(key), data, Put.OVERWRITE, null);
    changed.add(key);
    return StoredRecord.version(handles.shard(), vlsn);
  }
}
