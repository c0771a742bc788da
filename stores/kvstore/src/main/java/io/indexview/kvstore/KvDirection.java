package io.indexview.kvstore;

/** In which direction the records of one major path are read. */
public enum KvDirection {
  FORWARD,
  REVERSE
}
