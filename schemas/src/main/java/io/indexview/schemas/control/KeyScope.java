package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * The primary keys of a topic that a source answers for: other producers may write others there.
 *
 * @param prefix whole components: a key of the scope is this, or goes on with a slash; empty: every
 *     key that begins with a slash
 * @param exceptEnding keys that end so lie outside; null: none do
 */
public record KeyScope(String prefix, String exceptEnding) {
  private static final Schema SCHEMA =
      ControlSchemas.SOURCE_STATE
          .getField("lastLook")
          .schema()
          .getTypes()
          .get(1)
          .getField("scope")
          .schema()
          .getTypes()
          .get(1);

  public KeyScope {
    Objects.requireNonNull(prefix, "prefix");
  }

  /**
   * Whether a primary record belongs to it.
   *
   * @param key in state, see {@link io.indexview.schemas.change.PrimaryKeys#stateKey}
   */
  public boolean contains(byte[] key) {
    byte[] start = prefix.getBytes(StandardCharsets.UTF_8);
    if (key.length < start.length
        || !Arrays.equals(key, 0, start.length, start, 0, start.length)
        || key.length > start.length && key[start.length] != '/') {
      return false;
    }
    return exceptEnding == null || !endsWith(key, exceptEnding.getBytes(StandardCharsets.UTF_8));
  }

  private static boolean endsWith(byte[] key, byte[] ending) {
    int from = key.length - ending.length;
    return from >= 0 && Arrays.equals(key, from, key.length, ending, 0, ending.length);
  }

  static KeyScope of(GenericRecord record) {
    Object ending = record.get("exceptEnding");
    return new KeyScope(record.get("prefix").toString(), ending == null ? null : ending.toString());
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(SCHEMA);
    record.put("prefix", prefix);
    record.put("exceptEnding", exceptEnding);
    return record;
  }
}
