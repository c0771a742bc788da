package io.indexview.streams.topology;

import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.RecordSetDeriver;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The wiring: one sub-topology per record set, in the order of the configuration. Every part has an
 * explicit name, see {@link Names}.
 */
public final class IndexViewTopology {
  private final AppConfig config;
  private final DeriverServices services;

  public IndexViewTopology(AppConfig config, DeriverServices services) {
    this.config = config;
    this.services = services;
  }

  public Topology build() {
    Topology topology = new Topology();
    for (RecordSetConfig recordSet : config.recordSets()) {
      add(topology, recordSet);
    }
    return topology;
  }

  private void add(Topology topology, RecordSetConfig recordSet) {
    Names names = Names.of(recordSet);
    topology.addSource(
        AutoOffsetReset.earliest(),
        names.source(),
        new UsePartitionTimeOnInvalidTimestamp(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        recordSet.topic());
    topology.addProcessor(names.processor(), supplier(recordSet, names), names.source());
    topology.addStateStore(store(names), names.processor());
    Serializer<OutgoingRow> rowKeys = (topic, row) -> row.key();
    topology.addSink(
        names.rowSink(),
        new RowTopic(),
        rowKeys,
        new ByteArraySerializer(),
        new OwnPartition(),
        names.processor());
    topology.addSink(
        names.deadLetterSink(),
        config.topics().deadLetters(),
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        names.processor());
  }

  private ProcessorSupplier<byte[], byte[], Object, byte[]> supplier(
      RecordSetConfig recordSet, Names names) {
    return () -> processor(recordSet, names);
  }

  private Processor<byte[], byte[], Object, byte[]> processor(
      RecordSetConfig recordSet, Names names) {
    int maxBytes = StreamsSettings.maxMessageBytes(config);
    return new RecordSetProcessor(
        names,
        new RecordSetDeriver(recordSet.name(), recordSet.format(), services, maxBytes),
        new DeadLetters(
            config.topics().deadLetters(),
            recordSet.name(),
            maxBytes,
            services.registry(),
            services.registryWait()),
        new TaskSettings(
            config.tombstoneRetention(), services.metrics().recordSet(recordSet.name())));
  }

  /**
   * No record cache: with short transactions a key is rarely written twice in one, so a cache costs
   * more than it saves.
   */
  private StoreBuilder<KeyValueStore<Bytes, byte[]>> store(Names names) {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(names.store()), Serdes.Bytes(), Serdes.ByteArray())
        .withCachingDisabled()
        .withLoggingEnabled(
            Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Integer.toString(StreamsSettings.topicMessageBytes(config))));
  }
}
