package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * The primary keys of a topic that a source answers for: other producers may write others there.
 *
 * @param prefix whole components: a key of the scope is this, or goes on with a slash; empty: every
 *     key that begins with a slash; an asterisk: every key
 * @param exceptEnding keys that end so lie outside; null: none do
 * @param minors minor paths of a KV store, each as its keys end, {@code /-/contact}, or {@value
 *     #NO_MINOR}: keys with others lie outside; empty: any will do
 */
public record KeyScope(String prefix, String exceptEnding, List<String> minors) {
  private static final String ANY = "*";

  /** Scope of a source that answers for all keys that a topic can have. */
  public static final KeyScope EVERY_KEY = new KeyScope(ANY, null);

  /** Stands for keys of a KV store that have no minor path. */
  public static final String NO_MINOR = "/-";

  private static final String MINOR_START = "/-/";
  private static final Schema SCHEMA =
      ControlSchemas.SOURCE_STATE
          .getField("lastScan")
          .schema()
          .getTypes()
          .get(1)
          .getField("scope")
          .schema()
          .getTypes()
          .get(1);

  public KeyScope {
    Objects.requireNonNull(prefix, "prefix");
    minors = List.copyOf(minors);
  }

  /** Keys with any minor path, or of a source whose keys have none. */
  public KeyScope(String prefix, String exceptEnding) {
    this(prefix, exceptEnding, List.of());
  }

  /**
   * Whether a primary record belongs to it.
   *
   * @param key in state, see {@link io.indexview.schemas.change.PrimaryKeys#stateKey}
   */
  public boolean contains(byte[] key) {
    if (prefix.equals(ANY)) {
      return true;
    }
    byte[] start = prefix.getBytes(StandardCharsets.UTF_8);
    if (key.length < start.length
        || !Arrays.equals(key, 0, start.length, start, 0, start.length)
        || key.length > start.length && key[start.length] != '/') {
      return false;
    }
    if (exceptEnding != null && endsWith(key, exceptEnding.getBytes(StandardCharsets.UTF_8))) {
      return false;
    }
    return minors.isEmpty() || minors.contains(minor(new String(key, StandardCharsets.UTF_8)));
  }

  /** Whether every key of the other one belongs to it. */
  public boolean includes(KeyScope other) {
    boolean isBelow =
        prefix.equals(ANY) || prefix.equals(other.prefix) || other.prefix.startsWith(prefix + '/');
    return isBelow
        && (exceptEnding == null || exceptEnding.equals(other.exceptEnding))
        && (minors.isEmpty() || !other.minors.isEmpty() && minors.containsAll(other.minors));
  }

  /**
   * Returns the minor path of a key's text, from the first bare hyphen on: a component that is a
   * mere hyphen is escaped.
   */
  private static String minor(String key) {
    int start = key.indexOf(MINOR_START);
    return start < 0 ? NO_MINOR : key.substring(start);
  }

  private static boolean endsWith(byte[] key, byte[] ending) {
    int from = key.length - ending.length;
    return from >= 0 && Arrays.equals(key, from, key.length, ending, 0, ending.length);
  }

  static KeyScope of(GenericRecord record) {
    Object ending = record.get("exceptEnding");
    return new KeyScope(
        record.get("prefix").toString(),
        ending == null ? null : ending.toString(),
        ((List<?>) record.get("minors")).stream().map(Object::toString).toList());
  }

  GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(SCHEMA);
    record.put("prefix", prefix);
    record.put("exceptEnding", exceptEnding);
    record.put("minors", minors);
    return record;
  }
}
