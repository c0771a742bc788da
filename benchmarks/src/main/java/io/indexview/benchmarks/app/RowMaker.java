package io.indexview.benchmarks.app;

/**
 * Rows as an application derives them that has no Indexview. Not safe for use by several threads.
 */
interface RowMaker {

  /**
   * Puts out what makes the rows of a record those after a change.
   *
   * @param key of the record
   * @param before the last event of the key; null: there is no record
   * @param after this event, likewise
   * @param revision for the rows that change
   */
  void derive(byte[] key, byte[] before, byte[] after, long revision, Output output);

  /** Takes rows. */
  interface Output {
    /**
     * @param view its number
     * @param key in the wire format
     * @param value in the wire format; null deletes the row
     */
    void row(int view, byte[] key, byte[] value);
  }
}
