package io.indexview.connect.common.source;

import java.util.Objects;

/**
 * Who writes the events.
 *
 * @param name as on source-states; stays when the connector is created again
 * @param connector kind of source: {@code kvstore}, {@code s3}
 */
public record SourceIdentity(String name, String connector) {
  public SourceIdentity {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(connector, "connector");
  }
}
