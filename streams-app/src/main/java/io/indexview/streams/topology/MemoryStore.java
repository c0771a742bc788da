package io.indexview.streams.topology;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries on the heap, in the order of their keys as unsigned bytes. Unlike the in-memory store of
 * Kafka Streams it copies nothing for an iterator, so that a scan in many chunks takes no longer
 * than one. An iterator shows the entries that stand all the time, each once and in order, and of
 * what changes meanwhile some.
 *
 * <p>Keys and values are not copied: nobody changes one that the store was given or gave. What is
 * not committed goes with {@link #close}, which Kafka Streams calls before it uses a task again
 * whose transaction was aborted; then it restores the entries from the changelog. Safe for use by
 * several threads.
 */
final class MemoryStore implements KeyValueStore<Bytes, byte[]> {
  private static final Logger LOGGER = LoggerFactory.getLogger(MemoryStore.class);

  private final String name;
  private volatile ConcurrentNavigableMap<byte[], byte[]> entries = none();

  /** Always empty: it is for interactive queries, which nobody asks. */
  private final Position position = Position.emptyPosition();

  private volatile boolean open;

  MemoryStore(String name) {
    this.name = name;
  }

  private static ConcurrentNavigableMap<byte[], byte[]> none() {
    return new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  }

  static KeyValueBytesStoreSupplier supplier(String name) {
    return new KeyValueBytesStoreSupplier() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public KeyValueStore<Bytes, byte[]> get() {
        return new MemoryStore(name);
      }

      @Override
      public String metricsScope() {
        return "memory";
      }
    };
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    removeFiles(context.stateDir());
    open = true;
    context.register(root, (key, value) -> set(key, value));
  }

  /**
   * What RocksDB left under the name grows old. Found again once the deletions since are compacted
   * away, it would bring back what was deleted.
   */
  private void removeFiles(File taskDirectory) {
    File files = taskDirectory.toPath().resolve(Path.of("rocksdb", name)).toFile();
    if (!files.exists()) {
      return;
    }
    try {
      Utils.delete(files);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "%s cannot be deleted; its state is in memory now, delete it by hand".formatted(files),
          e);
    }
    LOGGER.info("Deleted {}: this state is in memory now", files);
  }

  @Override
  public boolean persistent() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public Position getPosition() {
    return position;
  }

  @Override
  public void close() {
    open = false;
    // To clear it would take as long as to go through all entries.
    entries = none();
  }

  @Override
  public byte[] get(Bytes key) {
    return entries.get(key.get());
  }

  @Override
  public void put(Bytes key, byte[] value) {
    set(key.get(), value);
  }

  private byte[] set(byte[] key, byte[] value) {
    return value == null ? entries.remove(key) : entries.put(key, value);
  }

  @Override
  public byte[] putIfAbsent(Bytes key, byte[] value) {
    return value == null ? get(key) : entries.putIfAbsent(key.get(), value);
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> all) {
    all.forEach(entry -> put(entry.key, entry.value));
  }

  @Override
  public byte[] delete(Bytes key) {
    return entries.remove(key.get());
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
    return new Entries(between(from, to));
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
    return new Entries(between(from, to).descendingMap());
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    return new Entries(entries);
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    return new Entries(entries.descendingMap());
  }

  @Override
  public <PS extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, PS serializer) {
    byte[] first = serializer.serialize(null, prefix);
    byte[] end = endOf(first);
    return new Entries(
        end == null ? entries.tailMap(first, true) : entries.subMap(first, true, end, false));
  }

  /** The smallest of all keys that are larger than those with a prefix; null: there is none. */
  private static byte[] endOf(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != (byte) 0xff) {
        byte[] end = Arrays.copyOf(prefix, i + 1);
        end[i]++;
        return end;
      }
    }
    return null;
  }

  /** Empty if they are in the wrong order. */
  private ConcurrentNavigableMap<byte[], byte[]> between(Bytes from, Bytes to) {
    if (from == null) {
      return to == null ? entries : entries.headMap(to.get(), true);
    }
    if (to == null) {
      return entries.tailMap(from.get(), true);
    }
    return from.compareTo(to) <= 0
        ? entries.subMap(from.get(), true, to.get(), true)
        : entries.subMap(from.get(), false, from.get(), false);
  }

  @Override
  public long approximateNumEntries() {
    return entries.size();
  }

  private final class Entries implements KeyValueIterator<Bytes, byte[]> {
    private final Iterator<Map.Entry<byte[], byte[]>> left;
    private Map.Entry<byte[], byte[]> next;
    private boolean closed;

    Entries(ConcurrentNavigableMap<byte[], byte[]> these) {
      this.left = these.entrySet().iterator();
    }

    @Override
    public boolean hasNext() {
      if (closed) {
        throw new IllegalStateException("the iterator of store %s is closed".formatted(name));
      }
      if (next == null && left.hasNext()) {
        next = left.next();
      }
      return next != null;
    }

    @Override
    public Bytes peekNextKey() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return Bytes.wrap(next.getKey());
    }

    @Override
    public KeyValue<Bytes, byte[]> next() {
      KeyValue<Bytes, byte[]> shown = KeyValue.pair(peekNextKey(), next.getValue());
      next = null;
      return shown;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
