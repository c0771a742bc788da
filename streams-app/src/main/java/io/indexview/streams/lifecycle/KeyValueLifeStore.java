package io.indexview.streams.lifecycle;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** A state store of Kafka Streams. */
record KeyValueLifeStore(KeyValueStore<String, String> store) implements LifeStore {

  @Override
  public Map<String, String> all() {
    Map<String, String> all = new HashMap<>();
    try (KeyValueIterator<String, String> entries = store.all()) {
      entries.forEachRemaining(entry -> all.put(entry.key, entry.value));
    }
    return all;
  }

  @Override
  public void put(String key, String text) {
    store.put(key, text);
  }
}
