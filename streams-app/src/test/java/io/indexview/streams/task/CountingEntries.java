package io.indexview.streams.task;

import io.indexview.streams.state.Entries;

/**
 * Entries that tell of each one that is scanned.
 *
 * @param scanned called before the visitor
 */
record CountingEntries(Entries entries, Runnable scanned) implements Entries {
  @Override
  public byte[] get(byte[] key) {
    return entries.get(key);
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    entries.put(key, entry);
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    return entries.scan(
        after,
        (key, entry) -> {
          scanned.run();
          return visitor.visit(key, entry);
        });
  }

  @Override
  public long estimatedSize() {
    return entries.estimatedSize();
  }
}
