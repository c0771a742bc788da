package io.indexview.kvstore;

import java.util.Arrays;
import java.util.Objects;

/**
 * A record as it was read.
 *
 * @param value the bytes, possibly none; not copied, never to be changed
 */
public record KvRecord(KvKey key, byte[] value, KvVersion version) {
  public KvRecord {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(version, "version");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvRecord that
        && key.equals(that.key)
        && version.equals(that.version)
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
