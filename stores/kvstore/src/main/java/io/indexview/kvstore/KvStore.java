package io.indexview.kvstore;

import io.indexview.kvstore.KvOperation.KvResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A store of records under key paths, with the semantics of Oracle NoSQL's Key/Value API. Safe for
 * use by several threads. When a write returns it is durable: it survives the failures that the
 * store is set up to survive.
 *
 * <p>Every method may throw {@link KvStoreException.Unavailable} (try again), {@link
 * KvStoreException.Refused} (this request never succeeds) or {@link KvStoreException.Misconfigured}
 * (none does). Misuse of the interface is an {@link IllegalArgumentException}. Keys of large
 * objects ({@link KvKey#isLob}) cannot be written or deleted singly (Refused); scans return them.
 */
public interface KvStore extends AutoCloseable {
  /** The record of the key, if there is one. */
  Optional<KvRecord> get(KvKey key, KvConsistency consistency);

  /** Reads with {@link KvConsistency#ABSOLUTE}. */
  default Optional<KvRecord> get(KvKey key) {
    return get(key, KvConsistency.ABSOLUTE);
  }

  /** The selected records of one major path at one moment, in key order. */
  List<KvRecord> multiGet(KvSelection selection, KvConsistency consistency);

  /**
   * One write, if its condition holds.
   *
   * @return the version that a put gave the record, or that a delete removed; nothing if the
   *     condition does not hold, or there was nothing to delete
   */
  Optional<KvVersion> write(KvOperation operation);

  /** Creates or replaces, and returns the new version. */
  default KvVersion put(KvKey key, byte[] value) {
    return write(new KvOperation.Put(key, value)).orElseThrow();
  }

  /**
   * Creates or replaces many records, each for itself and in any order; faster than as many puts.
   * When it returns all are written; when it throws some may be.
   *
   * @throws KvStoreException.Refused if the store does not take one of them; which, it does not say
   */
  void putAll(Map<KvKey, byte[]> records);

  /** The new version, or nothing if the key has a record already. */
  default Optional<KvVersion> putIfAbsent(KvKey key, byte[] value) {
    return write(new KvOperation.PutIfAbsent(key, value));
  }

  /** The new version, or nothing if the key's record does not have the expected version. */
  default Optional<KvVersion> putIfVersion(KvKey key, byte[] value, KvVersion expected) {
    return write(new KvOperation.PutIfVersion(key, value, expected));
  }

  /** Removes the record and returns its version, or nothing if there was none. */
  default Optional<KvVersion> delete(KvKey key) {
    return write(new KvOperation.Delete(key));
  }

  /**
   * Removes many records, each for itself and in any order; faster than as many deletes where the
   * store has a way for that. When it returns none of them is there; when it throws some may be.
   *
   * @throws KvStoreException.Refused if the store does not take one of the keys; nothing is removed
   */
  default void deleteAll(Collection<KvKey> keys) {
    keys.forEach(WriteChecks::requireWritable);
    keys.forEach(this::delete);
  }

  /** Whether the record had the expected version and was removed. */
  default boolean deleteIfVersion(KvKey key, KvVersion expected) {
    return write(new KvOperation.DeleteIfVersion(key, expected)).isPresent();
  }

  /** Removes the selected records of one major path atomically, and returns how many. */
  int multiDelete(KvSelection selection);

  /**
   * Executes all operations or none. All keys must be different and share one major path.
   *
   * @return one result for each operation, in their order
   * @throws KvExecutionException naming an operation whose condition did not hold
   */
  List<KvResult> execute(List<KvOperation> operations);

  /**
   * The selected records of one major path in key order or its reverse, fetched in batches: what is
   * written meanwhile may or may not be seen. The parent's own record comes first, in reverse last.
   */
  KvIterator<KvRecord> iterator(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize);

  /**
   * The records of a scan, unordered. A record that exists from the start of the scan to its end is
   * returned exactly once; one that is written meanwhile may or may not be seen.
   */
  KvIterator<KvRecord> storeIterator(KvScan scan);

  /** Iterates like {@link #storeIterator}, but over keys only. */
  KvIterator<KvKey> storeKeysIterator(KvScan scan);

  /**
   * Follows the changes of records, as hints of what to read. Closing the store closes it, too.
   *
   * @param keys whose changes to name
   * @param from as a batch gave it, of this or an earlier opening of the store; where the store
   *     cannot tell every change since then, the first batch has a gap. Empty: from now on, which
   *     is every change that is acknowledged after this returned
   * @throws KvStoreException.ChangesUnsupported if the store does not tell changes
   */
  default KvChanges changes(KvKeySet keys, Optional<KvChangePosition> from) {
    throw new KvStoreException.ChangesUnsupported("This store does not tell changes; use scans.");
  }

  @Override
  void close();
}
