package io.indexview.kvstore;

import java.util.Iterator;

/**
 * An iterator that holds resources until it is closed. For one thread. {@code next} and {@code
 * hasNext} throw {@link KvStoreException} when the store fails.
 */
public interface KvIterator<T> extends Iterator<T>, AutoCloseable {
  /** Idempotent; ends the iteration. */
  @Override
  void close();
}
