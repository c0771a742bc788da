package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Locks striped by major path. Writers of one major path take turns, so that a later commit always
 * has the higher number; readers of a whole major path see a transaction entirely or not at all.
 */
final class MajorPathLocks {
  private static final int STRIPES = 512;

  private final ReadWriteLock[] stripes = new ReadWriteLock[STRIPES];

  MajorPathLocks() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantReadWriteLock();
    }
  }

  ReadWriteLock of(KvKey key) {
    return stripes[stripe(key)];
  }

  /** The locks for writing all of these, each once, in the order in which everybody takes them. */
  List<Lock> writing(Collection<KvKey> keys) {
    return keys.stream()
        .map(MajorPathLocks::stripe)
        .distinct()
        .sorted()
        .map(stripe -> stripes[stripe].writeLock())
        .toList();
  }

  private static int stripe(KvKey key) {
    int hash = key.major().hashCode();
    return (hash ^ (hash >>> 16)) & (STRIPES - 1);
  }
}
