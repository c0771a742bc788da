package io.indexview.client.read.kv;

import io.indexview.client.read.PrimaryRecords;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import java.util.Optional;

/** Primary records in the KV store, whose primary keys are the texts of their key paths. */
public final class KvPrimaryRecords implements PrimaryRecords {
  private final KvStore store;

  /**
   * @param store stays the caller's to close
   */
  public KvPrimaryRecords(KvStore store) {
    this.store = store;
  }

  @Override
  public Optional<byte[]> get(String primaryKey, boolean absolute) {
    KvKey key = KvKey.fromString(primaryKey);
    // The value of a large object is internal to the store.
    return key.isLob()
        ? Optional.empty()
        : store
            .get(key, absolute ? KvConsistency.ABSOLUTE : KvConsistency.NONE)
            .map(KvRecord::value);
  }
}
