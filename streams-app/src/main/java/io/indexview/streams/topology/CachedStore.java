package io.indexview.streams.topology;

import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.topology.StateCache.StoreEntries;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * A store on disk behind entries on the heap: an entry that is used again is not read again, and
 * what is put is written to the store behind it later, in batches, the last value of a key alone.
 * All is written before an iterator begins, so that iterators show it.
 *
 * <p>Exactly as safe as the store behind it under {@code exactly_once_v2}. Kafka Streams trusts
 * what is on disk only after {@link #commit}, which writes everything first, and lets the heap go:
 * what comes next may be a restore, past this store. An entry that was not written goes with {@link
 * #close}; it belongs to an aborted transaction, whose task loses its files, too, or comes once
 * more from the changelog, which had each put at once.
 *
 * <p>Keys and values are copied. While it has entries on the heap it is used by one thread.
 */
final class CachedStore implements KeyValueStore<Bytes, byte[]> {
  private final KeyValueStore<Bytes, byte[]> disk;
  private final Supplier<StateCache> caches;
  private final RecordSetCounters counters;

  /** Entries in the cache of the thread that put the first one there; null: there are none. */
  private StoreEntries entries;

  /**
   * @param caches the one of the calling thread
   * @param counters get what is read from disk and written to it
   */
  CachedStore(
      KeyValueStore<Bytes, byte[]> disk, Supplier<StateCache> caches, RecordSetCounters counters) {
    this.disk = disk;
    this.caches = caches;
    this.counters = counters;
  }

  /** Supplies such stores; for the parameters see the constructor. */
  static KeyValueBytesStoreSupplier supplier(
      KeyValueBytesStoreSupplier disk, Supplier<StateCache> caches, RecordSetCounters counters) {
    return new KeyValueBytesStoreSupplier() {
      @Override
      public String name() {
        return disk.name();
      }

      @Override
      public KeyValueStore<Bytes, byte[]> get() {
        return new CachedStore(disk.get(), caches, counters);
      }

      @Override
      public String metricsScope() {
        return disk.metricsScope();
      }
    };
  }

  @Override
  public String name() {
    return disk.name();
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    disk.init(context, root);
  }

  @Override
  public boolean persistent() {
    return disk.persistent();
  }

  @Override
  public boolean isOpen() {
    return disk.isOpen();
  }

  @Override
  public Position getPosition() {
    return disk.getPosition();
  }

  @Override
  @SuppressWarnings("deprecation")
  public boolean managesOffsets() {
    return disk.managesOffsets();
  }

  @Override
  public Long committedOffset(TopicPartition partition) {
    return disk.committedOffset(partition);
  }

  @Override
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    write();
    forget();
    disk.commit(changelogOffsets);
  }

  @Override
  public void close() {
    forget();
    disk.close();
  }

  private void forget() {
    if (entries != null) {
      entries.leave();
      entries = null;
    }
  }

  private StoreEntries entries() {
    if (entries == null) {
      entries = caches.get().join(this::writeBatch);
    }
    return entries;
  }

  private void writeBatch(List<KeyValue<Bytes, byte[]>> batch) {
    disk.putAll(batch);
    counters.countDiskWrites(batch.size());
  }

  /** Writes all that was put. */
  private void write() {
    if (entries != null) {
      entries.write();
    }
  }

  @Override
  public byte[] get(Bytes key) {
    int place = entries == null ? StateCache.NONE : entries.find(key.get());
    if (place != StateCache.NONE) {
      return entries.use(place);
    }
    byte[] value = disk.get(key);
    counters.countDiskRead();
    if (value != null) {
      entries().put(key.get(), value, false);
    }
    return value;
  }

  @Override
  public void put(Bytes key, byte[] value) {
    entries().put(key.get(), value, true);
  }

  @Override
  public byte[] putIfAbsent(Bytes key, byte[] value) {
    byte[] before = get(key);
    if (before == null && value != null) {
      put(key, value);
    }
    return before;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    entries.forEach(entry -> put(entry.key, entry.value));
  }

  @Override
  public byte[] delete(Bytes key) {
    byte[] before = get(key);
    put(key, null);
    return before;
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
    write();
    return disk.range(from, to);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
    write();
    return disk.reverseRange(from, to);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    write();
    return disk.all();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    write();
    return disk.reverseAll();
  }

  @Override
  public <PS extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, PS serializer) {
    write();
    return disk.prefixScan(prefix, serializer);
  }

  /**
   * Writes nothing, as it is asked for all the time. Too low by what is new and unwritten, but
   * builds, which show it, iterate and so write.
   */
  @Override
  public long approximateNumEntries() {
    long unwritten = entries == null ? 0 : entries.unwritten();
    return Math.max(unwritten, disk.approximateNumEntries());
  }
}
