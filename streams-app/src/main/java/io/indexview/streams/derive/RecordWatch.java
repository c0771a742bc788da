package io.indexview.streams.derive;

/** Is told of a record before an event is folded into it. */
@FunctionalInterface
public interface RecordWatch {

  /**
   * May change the record's entry.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  void beforeEvent(byte[] stateKey, long nowMs);
}
