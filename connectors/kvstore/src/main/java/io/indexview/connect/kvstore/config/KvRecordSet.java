package io.indexview.connect.kvstore.config;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.schemas.control.KeyScope;
import java.util.Objects;
import org.apache.avro.Schema;

/**
 * One record set of a kvstore source.
 *
 * @param topic its primary-change topic
 */
public record KvRecordSet(String name, KvKeySet keys, String topic, ValueConfig values) {
  public KvRecordSet {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(values, "values");
  }

  /** The record schema. */
  public Schema schema() {
    return values.schema();
  }

  /** Leading run of the major path of every record. */
  public KvKey prefix() {
    return keys.prefix();
  }

  /** Whether records of the key belong to the record set, see {@link KvKeySet#contains}. */
  public boolean contains(KvKey key) {
    return keys.contains(key);
  }

  /** Whether it is a primary record: not so rows of the store's tables, whatever their keys. */
  public boolean contains(KvRecord record) {
    return !record.tableRow() && contains(record.key());
  }

  /** The keys of the topic that belong to the record set, see {@link #contains}. */
  public KeyScope scope() {
    return new KeyScope(prefix().toString(), KvKey.LOB_SUFFIX, keys.minorTexts());
  }
}
