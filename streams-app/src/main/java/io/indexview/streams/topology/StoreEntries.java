package io.indexview.streams.topology;

import io.indexview.streams.derive.Entries;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** The state of a task in a store of Kafka Streams. */
record StoreEntries(KeyValueStore<Bytes, byte[]> store) implements Entries {
  @Override
  public byte[] get(byte[] key) {
    return store.get(Bytes.wrap(key));
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    store.put(Bytes.wrap(key), entry);
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    try (KeyValueIterator<Bytes, byte[]> entries = store.range(firstAfter(after), null)) {
      while (entries.hasNext()) {
        KeyValue<Bytes, byte[]> next = entries.next();
        if (!visitor.visit(next.key.get(), next.value)) {
          return !entries.hasNext();
        }
      }
      return true;
    }
  }

  /** The smallest of all keys that are larger; ranges include where they begin. */
  private static Bytes firstAfter(byte[] key) {
    return key == null ? null : Bytes.wrap(Arrays.copyOf(key, key.length + 1));
  }

  @Override
  public long estimatedSize() {
    return store.approximateNumEntries();
  }
}
