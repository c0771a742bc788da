package io.indexview.local.pipeline;

import java.util.List;
import org.apache.avro.Schema;

/**
 * A record set in the stack's KV store.
 *
 * @param name as in the views' {@code source}
 * @param keyPrefix leading key components of its records, and of no others
 * @param schema the Avro schema its values are written with
 */
public record RecordSetSpec(String name, List<String> keyPrefix, Schema schema) {
  public RecordSetSpec {
    keyPrefix = List.copyOf(keyPrefix);
  }
}
