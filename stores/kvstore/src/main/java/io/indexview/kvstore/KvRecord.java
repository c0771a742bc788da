package io.indexview.kvstore;

import java.util.Arrays;
import java.util.Objects;

/**
 * A record as it was read.
 *
 * @param value the bytes, possibly none; not copied, never to be changed
 * @param tableRow whether it belongs to a table of the store: only the store's table interface can
 *     make something of the value then
 */
public record KvRecord(KvKey key, byte[] value, KvVersion version, boolean tableRow) {
  public KvRecord {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(version, "version");
  }

  /** A record that is no table row. */
  public KvRecord(KvKey key, byte[] value, KvVersion version) {
    this(key, value, version, false);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvRecord that
        && key.equals(that.key)
        && version.equals(that.version)
        && tableRow == that.tableRow
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(key, version);
  }

  @Override
  public String toString() {
    return key + "@" + version + " (" + value.length + " bytes)";
  }
}
