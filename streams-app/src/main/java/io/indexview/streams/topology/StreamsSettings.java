package io.indexview.streams.topology;

import io.indexview.streams.config.AppConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.DefaultProductionExceptionHandler;
import org.apache.kafka.streams.errors.LogAndFailExceptionHandler;
import org.apache.kafka.streams.errors.LogAndFailProcessingExceptionHandler;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/** The configuration of Kafka Streams that an {@link AppConfig} stands for. */
public final class StreamsSettings {
  /** What a record costs on the wire beside key and value: headers, lengths, the batch around. */
  private static final int OVERHEAD_BYTES = 16 << 10;

  /** How late a transaction may end. Longer, and rows of a killed process are held up by it. */
  private static final int TRANSACTION_END_MS = 10_000;

  private StreamsSettings() {}

  /**
   * @param clientId what the ids of its clients begin with
   */
  public static Map<String, Object> of(AppConfig config, String clientId) {
    Map<String, Object> settings = new HashMap<>(tuning());
    config
        .compactionSettings()
        .forEach((name, value) -> settings.put(StreamsConfig.topicPrefix(name), value));
    settings.putAll(config.originalsWithPrefix(AppConfig.STREAMS_PREFIX));
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, config.applicationId());
    settings.put(StreamsConfig.CLIENT_ID_CONFIG, clientId);
    settings.put(
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, config.getList(AppConfig.BOOTSTRAP_SERVERS_CONFIG));
    settings.put(StreamsConfig.STATE_DIR_CONFIG, config.stateDir().toString());
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, config.getInt(AppConfig.THREADS_CONFIG));
    settings.put(
        StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, config.getInt(AppConfig.STANDBY_CONFIG));
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, config.commitInterval().toMillis());
    settings.put(
        StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG),
        (int) transactionTimeout(config).toMillis());
    settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, (int) config.topicReplication());
    settings.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedMemory.class);
    settings.put(BoundedMemory.BYTES_CONFIG, config.getLong(AppConfig.STATE_MEMORY_CONFIG));
    settings.putAll(safetySet());
    if (config.isAtLeastOnce()) {
      settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
      settings.remove(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG));
    }
    return settings;
  }

  /**
   * What the guarantees rest on. The handlers all fail: a record that cannot be used is put aside
   * by the derivation itself, with its state, before anything of it is emitted. What still throws
   * is an outage or a bug, and to go on after half a record would be silent divergence.
   */
  private static Map<String, Object> safetySet() {
    return Map.of(
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
        StreamsConfig.EXACTLY_ONCE_V2,
        StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG,
        true,
        StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
        LogAndFailProcessingExceptionHandler.class,
        StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG,
        LogAndFailExceptionHandler.class,
        StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
        DefaultProductionExceptionHandler.class,
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        "earliest");
  }

  /** Defaults that a user may override with {@code streams.*}. */
  @SuppressWarnings("deprecation")
  private static Map<String, Object> tuning() {
    return Map.of(
        // There is no global thread, but Kafka Streams warns whenever it reads a configuration
        // without this. The key is deprecated from the start: 5.0 takes it as set.
        StreamsConfig.PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG,
        true,
        // Only for what tasks remember of generations; the records are not cached.
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG,
        8 << 20,
        // An idle thread does nothing else meanwhile, and builds should go on then.
        StreamsConfig.POLL_MS_CONFIG,
        10,
        StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG),
        "lz4",
        // The partitions of all views of a thread's tasks have an open batch each: of the memory,
        // however little is in it. So 1,024 partitions are written without waiting for each other.
        StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG),
        64 << 10,
        StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG),
        64L << 20,
        // Rows wait for others of their partition until the transaction ends. The more views there
        // are, the fewer rows a batch has, and the more of its cost is its own.
        StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG),
        100,
        // Brokers refuse rows while they end the transaction before, which with early commits was
        // just now. The first rows of a transaction the client itself sends again after 20 ms, but
        // only where it, and not the broker, adds partitions to transactions.
        StreamsConfig.producerPrefix(ProducerConfig.RETRY_BACKOFF_MS_CONFIG),
        20,
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.FETCH_MAX_BYTES_CONFIG),
        16 << 20,
        // How long the partitions of a killed instance stay without work.
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG),
        15_000);
  }

  /** How long a transaction may take before the brokers abort it. */
  static Duration transactionTimeout(AppConfig config) {
    return config.commitInterval().multipliedBy(2).plusMillis(TRANSACTION_END_MS);
  }

  /** How large key and value of a message may be together, so that the producer takes it. */
  static int maxMessageBytes(AppConfig config) {
    return config.maxRequestBytes() - OVERHEAD_BYTES;
  }

  /** {@code max.message.bytes} of the topics that get such messages. */
  public static int topicMessageBytes(AppConfig config) {
    return config.maxRequestBytes() + OVERHEAD_BYTES;
  }

  /**
   * Bounds the native memory of all RocksDB stores of the process together. Loaded by Kafka
   * Streams, which makes one per store; the shared memory lives as long as the process.
   */
  public static final class BoundedMemory implements RocksDBConfigSetter {
    static final String BYTES_CONFIG = "indexview.state.memory.bytes";

    private static final Map<Long, Shared> SHARED = new ConcurrentHashMap<>();

    private record Shared(Cache cache, WriteBufferManager writeBuffers) {
      static Shared of(long bytes) {
        // A strict limit would fail reads when iterators pin more than the cache holds.
        Cache cache = new LRUCache(bytes, -1, false, 0.1);
        return new Shared(cache, new WriteBufferManager(bytes / 2, cache));
      }
    }

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
      long bytes = Long.parseLong(configs.get(BYTES_CONFIG).toString());
      Shared shared = SHARED.computeIfAbsent(bytes, Shared::of);
      BlockBasedTableConfig tables = (BlockBasedTableConfig) options.tableFormatConfig();
      tables.setBlockCache(shared.cache());
      tables.setCacheIndexAndFilterBlocks(true);
      tables.setCacheIndexAndFilterBlocksWithHighPriority(true);
      tables.setPinTopLevelIndexAndFilter(true);
      options.setWriteBufferManager(shared.writeBuffers());
      options.setTableFormatConfig(tables);
    }

    @Override
    public void close(String storeName, Options options) {
      // The cache is shared with the other stores.
    }
  }
}
