package io.indexview.streams.topology;

import io.indexview.streams.task.TaskStores.ControlRecords;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.WallclockTimestampExtractor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * A control topic that every instance keeps in memory for its tasks.
 *
 * @param name of the store, and part of the names of what fills it
 */
record ControlTopic(String name) {
  static final ControlTopic VIEW_GENERATIONS = new ControlTopic("view-generations");
  static final ControlTopic SOURCE_STATES = new ControlTopic("source-states");

  void addTo(Topology topology, String topic) {
    topology.addGlobalStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
            .withCachingDisabled()
            .withLoggingDisabled(),
        "read-" + name,
        new WallclockTimestampExtractor(),
        new StringDeserializer(),
        new ByteArrayDeserializer(),
        topic,
        "keep-" + name,
        () -> new KeepNewest(name));
  }

  /** As a task sees it. */
  ControlRecords records(ProcessorContext<?, ?> context) {
    KeyValueStore<String, byte[]> store = context.getStateStore(name);
    return visitor -> StreamsStores.memory(store).forEach(visitor);
  }

  /**
   * Keeps the newest record of each key, bytes as they are: whatever is wrong with them must not
   * end the one thread that all tasks depend on.
   */
  private static final class KeepNewest implements Processor<String, byte[], Void, Void> {
    private final String storeName;
    private KeyValueStore<String, byte[]> store;

    KeepNewest(String storeName) {
      this.storeName = storeName;
    }

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      store = context.getStateStore(storeName);
    }

    @Override
    public void process(Record<String, byte[]> message) {
      if (message.key() != null) {
        store.put(message.key(), message.value());
      }
    }
  }
}
