package io.indexview.streams.state;

/** The state of one partition of a record set: encoded entries by primary key. */
public interface Entries {

  /** Null if there is none. */
  byte[] get(byte[] key);

  /**
   * @param entry null: there is to be none
   */
  void put(byte[] key, byte[] entry);

  /**
   * Visits the entries after a key, in the order of the keys as unsigned bytes, until there are no
   * more or the visitor has enough. The visitor does not change entries.
   *
   * @param after null: from the first
   * @return whether the last entry was visited
   */
  boolean scan(byte[] after, Visitor visitor);

  /** How many entries there are, about. */
  long estimatedSize();

  /** Sees entries. */
  @FunctionalInterface
  interface Visitor {
    /** Whether it wants to see another one. */
    boolean visit(byte[] key, byte[] entry);
  }
}
