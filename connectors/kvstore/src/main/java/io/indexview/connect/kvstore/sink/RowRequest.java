package io.indexview.connect.kvstore.sink;

import java.util.List;

/** A way to write rows of one major path. Thread-safe. */
@FunctionalInterface
interface RowRequest {
  /**
   * Applies all writes but those that it returns; when the attempt is over, perhaps fewer.
   *
   * @param writes of one major path, all fenced or none
   * @throws io.indexview.kvstore.KvStoreException.Unavailable if some were not applied and may be
   *     later
   */
  List<Refusal> apply(List<RowWrite> writes, Attempt attempt);
}
