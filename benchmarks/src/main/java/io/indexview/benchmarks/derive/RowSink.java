package io.indexview.benchmarks.derive;

/** Takes rows. */
@FunctionalInterface
interface RowSink {
  /**
   * @param key in the wire format
   * @param value in the wire format; null deletes the row
   */
  void row(byte[] key, byte[] value);
}
