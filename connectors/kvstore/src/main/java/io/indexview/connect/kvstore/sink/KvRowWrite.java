package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.views.layout.KvLayout;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What a record does to the row of a key.
 *
 * @param element primary key of a row that shares its record with others; null: it does not
 * @param value a tombstone where a fenced row goes; null: the row goes
 * @param revision of the change
 * @param layout of the row
 * @param isFenced whether what is there is looked at first, so that nothing newer is replaced
 */
record KvRowWrite(
    SinkRecord record,
    KvKey key,
    String element,
    byte[] value,
    long revision,
    KvLayout layout,
    boolean isFenced) {

  /** What no two rows have in common. */
  record Id(KvKey key, String element) {}

  Id id() {
    return new Id(key, element);
  }

  boolean isDelete() {
    return record.value() == null;
  }

  /** How much it sends. */
  int bytes() {
    return KvRowWrite.bytes(key, value);
  }

  /**
   * How much a write sends.
   *
   * @param value null: the record goes
   */
  static int bytes(KvKey key, byte[] value) {
    return key.serializedLength() + (value == null ? 0 : value.length);
  }

  /** The write of a row that is not fenced. */
  KvOperation operation() {
    return value == null ? new KvOperation.Delete(key) : new KvOperation.Put(key, value);
  }
}
