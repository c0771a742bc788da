package io.indexview.connect.kvstore.source.index;

import io.indexview.kvstore.KvKey;

/**
 * How far a scan has come: all rows of the index up to a key were compared, and all records of the
 * store up to a major path were read.
 *
 * @param covered the major path, in the store's order; null: none yet, or all
 * @param indexKey in the index's order; null: none yet
 * @param records primary records seen so far
 * @param complete nothing is left
 */
public record ScanPosition(KvKey covered, byte[] indexKey, long records, boolean complete) {
  public static final ScanPosition START = new ScanPosition(null, null, 0, false);
}
