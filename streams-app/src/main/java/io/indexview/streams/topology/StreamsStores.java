package io.indexview.streams.topology;

import io.indexview.streams.state.Entries;
import io.indexview.streams.state.TaskMemory;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** What a task keeps, in stores of Kafka Streams. */
final class StreamsStores {
  private StreamsStores() {}

  static Entries entries(KeyValueStore<Bytes, byte[]> store) {
    return new StoredEntries(store);
  }

  static TaskMemory memory(KeyValueStore<String, byte[]> store) {
    return new StoredMemory(store);
  }

  private record StoredEntries(KeyValueStore<Bytes, byte[]> store) implements Entries {
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

  private record StoredMemory(KeyValueStore<String, byte[]> store) implements TaskMemory {
    @Override
    public byte[] get(String key) {
      return store.get(key);
    }

    @Override
    public void forEach(BiConsumer<String, byte[]> visitor) {
      try (KeyValueIterator<String, byte[]> all = store.all()) {
        while (all.hasNext()) {
          KeyValue<String, byte[]> next = all.next();
          visitor.accept(next.key, next.value);
        }
      }
    }

    @Override
    public void put(String key, byte[] value) {
      store.put(key, value);
    }
  }
}
