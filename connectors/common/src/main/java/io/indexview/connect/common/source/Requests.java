package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceRequest;
import java.util.Optional;

/** What sources are asked for. */
public interface Requests extends AutoCloseable {
  /** Nobody asks for anything. */
  Requests NONE = topic -> 0;

  /**
   * The number of the newest request to publish every record of a primary-change topic again, as
   * far as is known; 0: none. Returns at once.
   */
  long newest(String topic);

  /** The newest request to scan everything once, as far as is known. Returns at once. */
  default Optional<SourceRequest> newestScan(String topic) {
    return Optional.empty();
  }

  @Override
  default void close() {}
}
