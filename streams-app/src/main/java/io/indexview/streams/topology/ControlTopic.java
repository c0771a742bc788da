package io.indexview.streams.topology;

import io.indexview.schemas.Topics;
import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
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
 * A control topic that every instance keeps in memory for its tasks, with the order in which its
 * records came: so a task looks at what is new, however many there are. Written by the one thread
 * that reads the topic, read by all stream threads. One for each start of Kafka Streams.
 */
final class ControlTopic implements ControlRecords {
  private final String name;

  /** The newest record of each key, by its number. */
  private final TreeMap<Long, Newest> newest = new TreeMap<>();

  private final Map<String, Long> numbers = new HashMap<>();
  private long last = START;

  private record Newest(String key, byte[] value) {}

  /**
   * @param name of the store, and part of the names of what fills it
   */
  ControlTopic(String name) {
    this.name = name;
  }

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
        KeepNewest::new);
  }

  synchronized void put(String key, byte[] value) {
    last++;
    newest.put(last, new Newest(key, value));
    Long before = numbers.put(key, last);
    if (before != null) {
      newest.remove(before);
    }
  }

  @Override
  public synchronized long since(long since, BiConsumer<String, byte[]> visitor) {
    newest.tailMap(since, false).values().forEach(one -> visitor.accept(one.key(), one.value()));
    return last;
  }

  /**
   * Keeps the newest record of each key, bytes as they are: whatever is wrong with them must not
   * end the one thread that all tasks depend on.
   */
  private final class KeepNewest implements Processor<String, byte[], Void, Void> {
    private ProcessorContext<Void, Void> context;
    private KeyValueStore<String, byte[]> store;

    @Override
    public void init(ProcessorContext<Void, Void> processorContext) {
      context = processorContext;
      store = context.getStateStore(name);
    }

    @Override
    public void process(Record<String, byte[]> message) {
      boolean isElsewhere =
          context.recordMetadata().stream()
              .anyMatch(metadata -> metadata.partition() != Topics.CONTROL_PARTITION);
      if (message.key() != null && !isElsewhere) {
        store.put(message.key(), message.value());
        put(message.key(), message.value());
      }
    }
  }
}
