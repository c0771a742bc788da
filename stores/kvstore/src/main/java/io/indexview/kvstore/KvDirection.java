package io.indexview.kvstore;

/** Direction in which the records of one major path are read. */
public enum KvDirection {
  FORWARD,
  REVERSE
}
