package io.indexview.benchmarks.derive;

import io.indexview.streams.state.Entries;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;

/** A state that costs next to nothing. */
final class HeapEntries implements Entries {
  private final Map<Bytes, byte[]> entries = new HashMap<>();

  @Override
  public byte[] get(byte[] key) {
    return entries.get(Bytes.wrap(key));
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    entries.put(Bytes.wrap(key), entry);
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    throw new UnsupportedOperationException("events need no scan");
  }

  @Override
  public long estimatedSize() {
    return entries.size();
  }
}
