package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueDecoder;
import java.util.function.Supplier;

/**
 * The store of a record set, and the ways to read it.
 *
 * @param opener of the store, for scans
 * @param keys reads single keys of it, as changes name them
 * @param changes begins to follow its changes
 * @param values decodes its values
 */
record RecordSetStore(
    Supplier<KvStore> opener,
    ParallelReads keys,
    FollowedChanges.Opener changes,
    ValueDecoder values) {

  /** The store; opened when first asked for. */
  KvStore open() {
    return opener.get();
  }
}
