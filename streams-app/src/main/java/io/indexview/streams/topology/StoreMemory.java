package io.indexview.streams.topology;

import io.indexview.streams.build.TaskMemory;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** What a task remembers, in a store of Kafka Streams. */
record StoreMemory(KeyValueStore<String, byte[]> store) implements TaskMemory {
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
