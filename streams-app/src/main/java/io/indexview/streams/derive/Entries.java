package io.indexview.streams.derive;

/** The state of one partition of a record set: encoded entries by primary key. */
public interface Entries {

  /** Null if there is none. */
  byte[] get(byte[] key);

  void put(byte[] key, byte[] entry);
}
