package io.indexview.kvstore;

import java.util.Objects;
import java.util.Optional;

/**
 * What one operation of {@link KvStore#execute} did.
 *
 * @param version what a put gave the record; empty for a delete
 * @param previousVersion of the record that was replaced or removed; empty if there was none
 */
public record KvResult(Optional<KvVersion> version, Optional<KvVersion> previousVersion) {
  public KvResult {
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(previousVersion, "previousVersion");
  }
}
