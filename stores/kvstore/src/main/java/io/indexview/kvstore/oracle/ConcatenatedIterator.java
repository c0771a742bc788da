package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvIterator;

/** One iterator after the other; closes both. */
record ConcatenatedIterator<T>(KvIterator<T> first, KvIterator<T> second) implements KvIterator<T> {
  @Override
  public boolean hasNext() {
    return first.hasNext() || second.hasNext();
  }

  @Override
  public T next() {
    return first.hasNext() ? first.next() : second.next();
  }

  @Override
  public void close() {
    try (second) {
      first.close();
    }
  }
}
