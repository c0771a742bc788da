package io.indexview.streams.topology;

import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.topology.StateCache.Slot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
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
 * <p>Keys and values are not copied: nobody changes one that the store was given or gave. While it
 * has entries on the heap it is used by one thread.
 */
final class CachedStore implements KeyValueStore<Bytes, byte[]> {
  private static final int BATCH_ENTRIES = 1_000;
  private static final long BATCH_BYTES = 4 << 20;

  private final KeyValueStore<Bytes, byte[]> disk;
  private final Supplier<StateCache> caches;
  private final RecordSetCounters counters;
  private final Map<Bytes, Slot> slots = new HashMap<>();

  /** In the order in which they began to be unwritten; some may be written meanwhile. */
  private final Deque<Slot> unwritten = new ArrayDeque<>();

  /** That of the thread which had the slots put there. */
  private StateCache cache;

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

  /** Of such stores; see the constructor. */
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
    slots.values().forEach(slot -> cache.remove(slot));
    slots.clear();
    unwritten.clear();
  }

  @Override
  public byte[] get(Bytes key) {
    Slot slot = slots.get(key);
    if (slot != null) {
      cache.use(slot);
      return slot.value();
    }
    byte[] value = disk.get(key);
    counters.countDiskRead();
    if (value != null) {
      add(new Slot(this, key.get(), value));
    }
    return value;
  }

  @Override
  public void put(Bytes key, byte[] value) {
    Slot slot = slots.get(key);
    if (slot == null) {
      Slot added = new Slot(this, key.get(), value);
      putOff(added);
      add(added);
    } else {
      putOff(slot);
      cache.use(slot, value);
    }
  }

  private void add(Slot slot) {
    if (slots.isEmpty()) {
      cache = caches.get();
    }
    slots.put(slot, slot);
    cache.add(slot);
  }

  private void putOff(Slot slot) {
    if (!slot.isUnwritten()) {
      slot.setUnwritten(true);
      unwritten.add(slot);
    }
  }

  /** Called by the cache, which has to let go of it, too. */
  void letGo(Slot slot) {
    if (slot.isUnwritten()) {
      writeBatch(slot);
    }
    slots.remove(slot);
  }

  private void write() {
    while (!unwritten.isEmpty()) {
      writeBatch(null);
    }
  }

  /**
   * Writes some entries, of those that wait the first ones.
   *
   * @param urgent to be among them; null: none in particular
   */
  private void writeBatch(Slot urgent) {
    List<Slot> batch = new ArrayList<>();
    long bytes = 0;
    if (urgent != null) {
      batch.add(urgent);
      bytes += urgent.bytes();
    }
    int seen = 0;
    Iterator<Slot> first = unwritten.iterator();
    while (first.hasNext() && batch.size() < BATCH_ENTRIES && bytes < BATCH_BYTES) {
      Slot slot = first.next();
      seen++;
      if (slot != urgent && slot.isUnwritten()) {
        batch.add(slot);
        bytes += slot.bytes();
      }
    }
    disk.putAll(batch.stream().map(slot -> KeyValue.pair((Bytes) slot, slot.value())).toList());
    counters.countDiskWrites(batch.size());
    // Only now: what could not be written is still to be.
    batch.forEach(slot -> slot.setUnwritten(false));
    for (int i = 0; i < seen; i++) {
      unwritten.remove();
    }
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

  @Override
  public long approximateNumEntries() {
    write();
    return disk.approximateNumEntries();
  }
}
