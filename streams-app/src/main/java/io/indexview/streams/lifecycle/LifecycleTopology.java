package io.indexview.streams.lifecycle;

import io.indexview.schemas.Topics;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The sub-topology of the owner of the view states. Its topics have one partition, so it is one
 * task. The names are part of the names of topics and directories: an upgrade contract.
 */
public final class LifecycleTopology {
  public static final String STORE = "view-lifecycle";

  static final String DEFINITION_SOURCE = "read-view-definitions";
  static final String PROGRESS_SOURCE = "read-view-progress";
  static final String OWNER = "own-view-states";
  static final String GENERATION_SINK = "write-view-generations";
  static final String STATE_SINK = "write-view-states";

  private LifecycleTopology() {}

  /** The topic that keeps what the owner of an application remembers. */
  public static String changelog(String applicationId) {
    return applicationId + "-" + STORE + "-changelog";
  }

  /**
   * @param maxMessageBytes {@code max.message.bytes} of the store's changelog
   */
  public static void addTo(
      Topology topology,
      Topics topics,
      LifeSettings settings,
      LifecycleServices services,
      int maxMessageBytes) {
    addSource(topology, DEFINITION_SOURCE, topics.viewDefinitions());
    addSource(topology, PROGRESS_SOURCE, topics.viewProgress());
    topology.addProcessor(
        OWNER,
        () -> new OwnerProcessor(topics, settings, services),
        DEFINITION_SOURCE,
        PROGRESS_SOURCE);
    topology.addStateStore(store(maxMessageBytes), OWNER);
    addSink(topology, GENERATION_SINK, topics.viewGenerations());
    addSink(topology, STATE_SINK, topics.viewStates());
  }

  private static void addSource(Topology topology, String name, String topic) {
    topology.addSource(
        AutoOffsetReset.earliest(),
        name,
        new UsePartitionTimeOnInvalidTimestamp(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        topic);
  }

  private static void addSink(Topology topology, String name, String topic) {
    topology.addSink(name, topic, new ByteArraySerializer(), new ByteArraySerializer(), OWNER);
  }

  private static StoreBuilder<KeyValueStore<String, String>> store(int maxMessageBytes) {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.String())
        .withCachingDisabled()
        .withLoggingEnabled(
            Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxMessageBytes)));
  }
}
