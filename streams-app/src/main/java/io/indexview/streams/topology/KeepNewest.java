package io.indexview.streams.topology;

import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Keeps the newest record of each key of a control topic, bytes as they are: whatever is wrong with
 * them must not end the one thread that all tasks depend on.
 */
final class KeepNewest implements Processor<String, byte[], Void, Void> {
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
