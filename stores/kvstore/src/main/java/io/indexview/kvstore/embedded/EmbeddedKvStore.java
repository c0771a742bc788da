package io.indexview.kvstore.embedded;

import com.sleepycat.je.CacheMode;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Get;
import com.sleepycat.je.Transaction;
import com.sleepycat.je.TransactionConfig;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.WriteChecks;
import io.indexview.kvstore.embedded.BatchReader.BatchIterator;
import io.indexview.kvstore.embedded.BatchReader.StoredRecord;
import io.indexview.kvstore.embedded.KeyRanges.ByteRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A store of one shard inside this process, for local use and tests, with the same semantics as the
 * distributed one. Everything in the process that opens a directory shares one engine; a second
 * process is refused.
 */
public final class EmbeddedKvStore implements KvStore {
  /** Writes that go together in one transaction: the cost is that of the transactions. */
  private static final int WRITES_TOGETHER = 100;

  /** Where nobody has been. */
  private static final KvChangePosition.Entry UNKNOWN = new KvChangePosition.Entry(0, 0);

  private static final BatchReader RECORDS = new BatchReader(false);

  private final SharedEnvironment environment;
  private final TransactionConfig transactionConfig;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Set<EmbeddedChanges> followers = ConcurrentHashMap.newKeySet();

  private EmbeddedKvStore(SharedEnvironment environment, KvDurability durability) {
    this.environment = environment;
    this.transactionConfig =
        new TransactionConfig()
            .setDurability(
                durability == KvDurability.SYNC
                    ? Durability.COMMIT_SYNC
                    : Durability.COMMIT_WRITE_NO_SYNC);
  }

  /**
   * Opens the directory, which is made if it is missing.
   *
   * @param config its address is ignored
   * @throws KvStoreException.Misconfigured naming the directory, if it cannot be used or another
   *     process uses it
   */
  public static EmbeddedKvStore open(Path directory, KvStoreConfig config) {
    return new EmbeddedKvStore(SharedEnvironment.acquire(directory, config), config.durability());
  }

  @Override
  public Optional<KvRecord> get(KvKey key, KvConsistency consistency) {
    byte[] encoded = KeyCodec.encode(key);
    return call(
        handles -> {
          requireReached(handles, consistency);
          DatabaseEntry data = new DatabaseEntry();
          return handles.records().get(null, new DatabaseEntry(encoded), data, Get.SEARCH, null)
                  == null
              ? Optional.empty()
              : Optional.of(
                  new StoredRecord(encoded, data.getData()).toRecord(key, handles.shard()));
        });
  }

  @Override
  public List<KvRecord> multiGet(KvSelection selection, KvConsistency consistency) {
    return locked(
        environment.locks().of(selection.parent()).readLock(),
        handles -> {
          requireReached(handles, consistency);
          List<KvRecord> selected = new ArrayList<>();
          for (ByteRange range : KeyRanges.of(selection)) {
            RECORDS
                .read(
                    handles.records(),
                    range,
                    KvDirection.FORWARD,
                    Integer.MAX_VALUE,
                    CacheMode.DEFAULT)
                .forEach(stored -> selected.add(stored.toRecord(handles.shard())));
          }
          return selected;
        });
  }

  @Override
  public Optional<KvVersion> write(KvOperation operation) {
    WriteChecks.requireWritable(operation.key());
    return write(operation.key(), transaction -> transaction.applyIf(operation))
        .flatMap(result -> result.version().or(result::previousVersion));
  }

  @Override
  public void putAll(Map<KvKey, byte[]> records) {
    writeEach(records.keySet(), (transaction, key) -> transaction.put(key, records.get(key)));
  }

  @Override
  public void deleteAll(Collection<KvKey> keys) {
    writeEach(keys, RecordTransaction::delete);
  }

  private void writeEach(Collection<KvKey> keys, BiConsumer<RecordTransaction, KvKey> write) {
    keys.forEach(WriteChecks::requireWritable);
    // In the order of scans, which would else meet transactions that come from the other side.
    List<KvKey> sorted = keys.stream().sorted().toList();
    for (int i = 0; i < sorted.size(); i += WRITES_TOGETHER) {
      List<KvKey> together = sorted.subList(i, Math.min(i + WRITES_TOGETHER, sorted.size()));
      write(
          environment.locks().writing(together),
          transaction -> {
            together.forEach(key -> write.accept(transaction, key));
            return null;
          });
    }
  }

  @Override
  public int multiDelete(KvSelection selection) {
    return write(
        selection.parent(),
        transaction -> {
          int deleted = 0;
          for (ByteRange range : KeyRanges.of(selection)) {
            deleted += transaction.delete(range);
          }
          return deleted;
        });
  }

  @Override
  public List<KvResult> execute(List<KvOperation> operations) {
    WriteChecks.requireExecutable(operations);
    return write(
        operations.get(0).key(),
        transaction -> {
          List<KvResult> results = new ArrayList<>(operations.size());
          for (int i = 0; i < operations.size(); i++) {
            results.add(transaction.apply(i, operations.get(i)));
          }
          return results;
        });
  }

  @Override
  public KvIterator<KvRecord> iterator(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize %d must be at least 1.".formatted(batchSize));
    }
    Lock lock = environment.locks().of(selection.parent()).readLock();
    String shard =
        call(
            handles -> {
              requireReached(handles, consistency);
              return handles.shard();
            });
    return new BatchIterator<>(
        (range, towards, limit, mode) ->
            locked(lock, handles -> RECORDS.read(handles.records(), range, towards, limit, mode)),
        stored -> stored.toRecord(shard),
        KeyRanges.of(selection),
        direction,
        batchSize);
  }

  @Override
  public KvIterator<KvRecord> storeIterator(KvScan scan) {
    String shard = call(Handles::shard);
    return scan(scan, RECORDS, s -> s.toRecord(shard));
  }

  @Override
  public KvIterator<KvKey> storeKeysIterator(KvScan scan) {
    return scan(scan, new BatchReader(true), stored -> KeyCodec.decode(stored.key()));
  }

  @Override
  public KvChanges changes(KvKeySet keys, Optional<KvChangePosition> from) {
    String shard = call(Handles::shard);
    KvChangePosition.Entry start =
        from.isEmpty()
            ? call(handles -> handles.changes().now())
            : from.get().shards().getOrDefault(shard, UNKNOWN);
    EmbeddedChanges changes =
        new EmbeddedChanges(environment, keys, shard, start, followers::remove);
    followers.add(changes);
    if (closed.get()) {
      changes.close();
    }
    return changes;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      followers.forEach(EmbeddedChanges::close);
      environment.release();
    }
  }

  private <T> KvIterator<T> scan(
      KvScan scan, BatchReader reader, Function<StoredRecord, T> decoder) {
    return new BatchIterator<>(
        (range, direction, limit, mode) ->
            call(handles -> reader.read(handles.records(), range, direction, limit, mode)),
        decoder,
        KeyRanges.of(scan),
        KvDirection.FORWARD,
        scan.batchSize());
  }

  private <T> T write(KvKey key, Function<RecordTransaction, T> body) {
    return write(List.of(environment.locks().of(key).writeLock()), body);
  }

  private <T> T write(List<Lock> locks, Function<RecordTransaction, T> body) {
    return locked(
        locks,
        handles -> {
          Transaction transaction = handles.environment().beginTransaction(null, transactionConfig);
          RecordTransaction writes = new RecordTransaction(handles, transaction);
          boolean committing = false;
          try {
            T result = body.apply(writes);
            committing = true;
            transaction.commit();
            return result;
          } finally {
            if (committing) {
              // Also if that failed: it may have happened.
              handles.changes().add(writes.changed());
            }
            if (transaction.getState() != Transaction.State.COMMITTED) {
              // Also one that failed to commit, which is not valid any more: it holds its locks.
              transaction.abort();
            }
          }
        });
  }

  private <T> T locked(Lock lock, Function<Handles, T> work) {
    return locked(List.of(lock), work);
  }

  private <T> T locked(List<Lock> locks, Function<Handles, T> work) {
    locks.forEach(Lock::lock);
    try {
      return call(work);
    } finally {
      locks.forEach(Lock::unlock);
    }
  }

  private <T> T call(Function<Handles, T> work) {
    if (closed.get()) {
      throw new IllegalStateException("The store is closed.");
    }
    return environment.call(work);
  }

  /** One node has every acknowledged write; only a version from elsewhere is not there. */
  private static void requireReached(Handles handles, KvConsistency consistency) {
    if (!(consistency instanceof KvConsistency.AtLeast atLeast)) {
      return;
    }
    KvVersion version = atLeast.version();
    if (!version.shard().equals(handles.shard())) {
      throw new KvStoreException.Refused(
          "Version %s is not of this store, whose shard is %s."
              .formatted(version, handles.shard()));
    }
    if (version.vlsn() > handles.counter().last()) {
      throw new KvStoreException.Unavailable(
          "The store has not reached version %s; it is at %d."
              .formatted(version, handles.counter().last()));
    }
  }
}
