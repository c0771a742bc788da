package io.indexview.connect.kvstore.config;

import io.indexview.kvstore.KvKey;
import io.indexview.schemas.control.KeyScope;
import java.util.Objects;
import org.apache.avro.Schema;

/**
 * One record set of a kvstore source.
 *
 * @param prefix leading run of the major path of every record
 * @param topic its primary-change topic
 * @param schema of the values
 */
public record RecordSetConfig(
    String name, KvKey prefix, String topic, Schema schema, ValueFormat format) {
  public RecordSetConfig {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(format, "format");
  }

  /** Whether a key belongs to the record set: below its prefix, and no large object. */
  public boolean contains(KvKey key) {
    return key.major().size() >= prefix.major().size()
        && key.major().subList(0, prefix.major().size()).equals(prefix.major())
        && !key.isLob();
  }

  /** The keys of the topic that belong to the record set, see {@link #contains}. */
  public KeyScope scope() {
    return new KeyScope(prefix.majorKey().toString(), KvKey.LOB_SUFFIX);
  }
}
