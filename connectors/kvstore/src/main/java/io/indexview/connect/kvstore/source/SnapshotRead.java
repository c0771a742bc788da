package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvRecord;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;

/**
 * A difference between the store and the index.
 *
 * @param key the primary key
 * @param record as the store holds it; null exactly for a delete
 */
record SnapshotRead(String key, Op op, Origin.SnapshotRead origin, KvRecord record) {}
