package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What a record does to the row of a key.
 *
 * @param value null: the row goes
 */
record RowWrite(SinkRecord record, KvKey key, byte[] value) {
  KvOperation operation() {
    return value == null ? new KvOperation.Delete(key) : new KvOperation.Put(key, value);
  }
}
