package io.indexview.streams.state;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A state in memory. */
public final class InMemoryEntries implements Entries {
  private final NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);

  /** Empty. */
  public InMemoryEntries() {}

  /** With what another one holds now. */
  public InMemoryEntries(InMemoryEntries other) {
    entries.putAll(other.entries);
  }

  @Override
  public byte[] get(byte[] key) {
    return entries.get(key);
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    if (entry == null) {
      entries.remove(key);
    } else {
      entries.put(key, entry);
    }
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    NavigableMap<byte[], byte[]> rest = after == null ? entries : entries.tailMap(after, false);
    for (Map.Entry<byte[], byte[]> entry : rest.entrySet()) {
      if (!visitor.visit(entry.getKey(), entry.getValue())) {
        return Arrays.equals(entry.getKey(), entries.lastKey());
      }
    }
    return true;
  }

  @Override
  public long estimatedSize() {
    return entries.size();
  }
}
