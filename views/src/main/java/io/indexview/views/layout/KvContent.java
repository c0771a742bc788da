package io.indexview.views.layout;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a record of the store holds: read once, then changed row by row. Tombstones that are too old
 * to count are not in it. For one thread.
 */
public interface KvContent {
  /**
   * Puts the change of one row in.
   *
   * @param change what {@link KvLayout#value} or {@link KvLayout#tombstone} made
   * @param revision of the change
   * @param deletes whether the change is a tombstone
   * @return false: this change or a newer one is there already, or there is nothing to delete
   * @throws LayoutException if there is no room for one more row, or for so large a one
   */
  boolean merge(byte[] change, long revision, boolean deletes);

  /**
   * Revision of the row or tombstone of a primary key: changes up to it are not put in. A row that
   * has the record for itself may be another key's.
   */
  OptionalLong revision(String primaryKey);

  /** The value to store; empty: nothing is left. */
  Optional<byte[]> value();
}
