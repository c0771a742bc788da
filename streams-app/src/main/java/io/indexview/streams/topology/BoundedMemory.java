package io.indexview.streams.topology;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/**
 * Bounds the native memory of all RocksDB stores of the process together. Loaded by Kafka Streams,
 * which makes one per store; the shared memory lives as long as the process.
 */
public final class BoundedMemory implements RocksDBConfigSetter {
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
