package io.indexview.local.pipeline;

import io.indexview.kvstore.KvKey;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;

/**
 * A record set in the stack's KV store.
 *
 * @param name as in the views' {@code source}
 * @param keyPrefix leading key components of its records, and of no others
 * @param schema the Avro schema of its records
 * @param settings further ones of its source, as {@code value.format}
 */
public record RecordSetSpec(
    String name, List<String> keyPrefix, Schema schema, Map<String, String> settings) {
  static final String VALUE_FORMAT = "value.format";
  static final String MINOR_KEYS = "minor.keys";
  private static final String AVRO = "avro";

  public RecordSetSpec {
    keyPrefix = List.copyOf(keyPrefix);
    settings = new TreeMap<>(settings);
  }

  /** Values are the schema's Avro binary. */
  public RecordSetSpec(String name, List<String> keyPrefix, Schema schema) {
    this(name, keyPrefix, schema, Map.of());
  }

  /** The prefix as a key. */
  public KvKey prefix() {
    return new KvKey(keyPrefix, List.of());
  }

  /** The minor paths of its keys as its source has them; empty: all. */
  public String minorKeys() {
    return settings.getOrDefault(MINOR_KEYS, "");
  }

  /** Whether values of this format are of one schema, which nobody gives. */
  boolean hasOwnSchema() {
    return List.of("string", "bytes").contains(settings.getOrDefault(VALUE_FORMAT, AVRO));
  }
}
