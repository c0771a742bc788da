package io.indexview.benchmarks.cost;

import io.indexview.streams.state.Entries;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A state on the heap that counts what is asked of it, and what its changelog would get. */
final class CountedEntries implements Entries {
  private final NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
  long gets;
  long puts;
  long deletes;
  long scans;
  long changelogBytes;

  @Override
  public byte[] get(byte[] key) {
    gets++;
    return entries.get(key);
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    changelogBytes += key.length;
    if (entry == null) {
      deletes++;
      entries.remove(key);
    } else {
      puts++;
      changelogBytes += entry.length;
      entries.put(key, entry);
    }
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    scans++;
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
