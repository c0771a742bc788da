package io.indexview.connect.common.source;

/** What sources are asked for. */
public interface Requests extends AutoCloseable {
  /** Nobody asks for anything. */
  Requests NONE = topic -> 0;

  /**
   * The number of the newest request to publish every record of a primary-change topic again, as
   * far as is known; 0: none. Returns at once.
   */
  long newest(String topic);

  @Override
  default void close() {}
}
