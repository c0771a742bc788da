package io.indexview.streams.topology;

import static io.indexview.streams.topology.EntryTable.arrayBytes;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;

/**
 * Bounds the heap that the entries of all {@link CachedStore}s of a stream thread take: the oldest
 * goes first, unless it was used since it came or was spared. Then it is spared (CLOCK, or second
 * chance). Not safe for use by several threads.
 *
 * <p>Entries are bytes in a few large segments, the oldest in the first one, and a table of their
 * hashes says where each is. As objects of their own the collector would copy each that is put, and
 * look at all of them. Room is made in the first segment: its entries go or are moved together, and
 * it is the last one then.
 *
 * <p>It saves each event a read of RocksDB and a write to it while the entries that change are
 * here; docs/benchmarks.md measures what that is where the state fits RocksDB's memory ("What does
 * the state in memory save?"). It costs the heap of {@code state.cache.bytes}, some 50 bytes of it
 * for each entry beside its key and value, where values keep their length, and this code with
 * {@link CacheSegment} and {@link EntryTable}. What there is does not do: the record cache of Kafka
 * Streams writes everything at each commit, and in a map of objects an entry takes 120 bytes beside
 * key and value.
 */
final class StateCache {
  /** Stands for no place. */
  static final int NONE = -1;

  /** Segments have numbers of 16 bits and up to 256 KiB; half, as some may be filled half. */
  private static final long MAX_BYTES = 8L << 30;

  private static final int MIN_SEGMENTS = 16;
  private static final int MIN_SEGMENT_BYTES = 512;
  private static final int MIN_UNWRITTEN = 16;

  private final long maxBytes;
  private final int segmentBytes;

  /** Random, so that nobody can choose keys with equal hashes. */
  private final long seed = ThreadLocalRandom.current().nextLong();

  private final EntryTable table = new EntryTable();

  /** Segments by number; null: the number is free. */
  private CacheSegment[] segments = {};

  /**
   * Segments in the order of eviction: first the one that has not been the last one for the longest
   * time.
   */
  private final Deque<CacheSegment> order = new ArrayDeque<>();

  /** Segment that entries are added to; null: none. */
  private CacheSegment open;

  /** Stores by number; null: the number is free. */
  private final List<StoreEntries> stores = new ArrayList<>();

  /** Bytes of unwritten entries, of all stores. */
  private long unwrittenBytes;

  private long allSegmentBytes;

  /** Bytes of the segments up to their last entry; {@link #liveBytes} of them are still needed. */
  private long filledBytes;

  private long liveBytes;

  /**
   * @param maxBytes 0: holds nothing; 8 GiB at most are used
   */
  StateCache(long maxBytes) {
    this.maxBytes = Math.min(maxBytes, MAX_BYTES);
    long share = Math.min(maxBytes / MIN_SEGMENTS, CacheSegment.MAX_BYTES);
    this.segmentBytes = (int) Math.max(MIN_SEGMENT_BYTES, share);
  }

  /** What all entries and all room for others takes on the heap, about. */
  long bytes() {
    return table.bytes() + unwrittenBytes + allSegmentBytes;
  }

  /**
   * Lets a store have entries here, until it {@link StoreEntries#leave leaves}.
   *
   * @param writer writes entries before they go; if it throws they stay, unwritten
   */
  StoreEntries join(Consumer<List<KeyValue<Bytes, byte[]>>> writer) {
    int number = stores.indexOf(null);
    if (number < 0) {
      number = stores.size();
      stores.add(null);
    }
    StoreEntries added = new StoreEntries(number, writer);
    stores.set(number, added);
    return added;
  }

  /** Entries of one store. */
  final class StoreEntries {
    private static final int BATCH_ENTRIES = 1_000;
    private static final long BATCH_BYTES = 4 << 20;

    private final int number;
    private final Consumer<List<KeyValue<Bytes, byte[]>>> writer;

    /** Places, in any order. */
    private int[] unwritten = {};

    private int unwrittenCount;

    private StoreEntries(int number, Consumer<List<KeyValue<Bytes, byte[]>>> writer) {
      this.number = number;
      this.writer = writer;
    }

    /** How many have to be written. */
    int unwritten() {
      return unwrittenCount;
    }

    /** The place of an entry until another one is put; {@link #NONE}: it is not here. */
    int find(byte[] key) {
      int slot = table.first(hash(number, key, 0, key.length));
      while (slot != EntryTable.NONE) {
        int place = table.place(slot);
        if (segment(place).isOf(CacheSegment.offset(place), number, key)) {
          return place;
        }
        slot = table.next(slot);
      }
      return NONE;
    }

    /** The value of an entry, which is used now; null: there is to be none. */
    byte[] use(int place) {
      CacheSegment segment = segment(place);
      int offset = CacheSegment.offset(place);
      segment.setUsed(offset, true);
      return segment.value(offset);
    }

    /**
     * Takes an entry in, or another value of it; others may have to go for that, of any store. One
     * that would take more than all is not kept, but written if it has to be.
     *
     * @param value null: there is to be none
     * @param isUnwritten whether it has to be written before it goes
     */
    void put(byte[] key, byte[] value, boolean isUnwritten) {
      int size = CacheSegment.size(key, value);
      boolean hasIndex = makeIndex(this);
      int place = find(key);
      if (hasIndex && place != NONE && size <= segment(place).size(CacheSegment.offset(place))) {
        liveBytes += size - segment(place).needed(CacheSegment.offset(place));
        segment(place).setUsed(CacheSegment.offset(place), true);
        set(place, value, isUnwritten);
        return;
      }
      int room = hasIndex ? reserve(size) : NONE;
      if (room == NONE && isUnwritten) {
        writer.accept(List.of(KeyValue.pair(Bytes.wrap(key), value)));
      }
      // It may have moved or gone meanwhile.
      place = find(key);
      if (place != NONE) {
        setWritten(place);
        remove(segment(place), CacheSegment.offset(place));
      }
      if (room != NONE) {
        segment(room).add(CacheSegment.offset(room), size, number, key, place != NONE);
        table.add(hash(number, key, 0, key.length), room);
        liveBytes += size;
        set(room, value, isUnwritten);
      } else if (table.count() == 0) {
        clear();
      }
    }

    private void set(int place, byte[] value, boolean isUnwritten) {
      CacheSegment segment = segment(place);
      int offset = CacheSegment.offset(place);
      segment.setValue(offset, value);
      if (isUnwritten && segment.unwritten(offset) == CacheSegment.WRITTEN) {
        unwritten[unwrittenCount] = place;
        segment.setUnwritten(offset, unwrittenCount);
        unwrittenCount++;
      }
    }

    private void setWritten(int place) {
      CacheSegment segment = segment(place);
      int index = segment.unwritten(CacheSegment.offset(place));
      if (index != CacheSegment.WRITTEN) {
        unwrittenCount--;
        int last = unwritten[unwrittenCount];
        unwritten[index] = last;
        segment(last).setUnwritten(CacheSegment.offset(last), index);
        segment.setUnwritten(CacheSegment.offset(place), CacheSegment.WRITTEN);
      }
    }

    /** Writes all entries that have to be. */
    void write() {
      while (unwrittenCount > 0) {
        List<KeyValue<Bytes, byte[]>> batch = new ArrayList<>();
        long bytes = 0;
        int first = unwrittenCount;
        while (first > 0 && batch.size() < BATCH_ENTRIES && bytes < BATCH_BYTES) {
          first--;
          CacheSegment segment = segment(unwritten[first]);
          int offset = CacheSegment.offset(unwritten[first]);
          batch.add(segment.pair(offset));
          bytes += segment.size(offset);
        }
        writer.accept(batch);
        // Only now: what could not be written is still to be.
        while (unwrittenCount > first) {
          setWritten(unwritten[unwrittenCount - 1]);
        }
      }
      shrink();
    }

    /** Whether one more that is unwritten takes more room. */
    private boolean isFull() {
      return unwrittenCount == unwritten.length;
    }

    private long growth() {
      return arrayBytes(larger(), Integer.BYTES) - arrayBytes(unwritten.length, Integer.BYTES);
    }

    private int larger() {
      return Math.max(MIN_UNWRITTEN, unwritten.length + unwritten.length / 2);
    }

    private void grow() {
      unwrittenBytes += growth();
      unwritten = Arrays.copyOf(unwritten, larger());
    }

    /** Gives back what more entries took than there are, or that of idle stores would add up. */
    private void shrink() {
      if (unwritten.length > MIN_UNWRITTEN && unwrittenCount < unwritten.length / 4) {
        int places = Math.max(MIN_UNWRITTEN, 2 * unwrittenCount);
        unwrittenBytes -=
            arrayBytes(unwritten.length, Integer.BYTES) - arrayBytes(places, Integer.BYTES);
        unwritten = Arrays.copyOf(unwritten, places);
      }
    }

    /** Forgets all entries, written or not. */
    void leave() {
      for (CacheSegment one : order) {
        one.forEach(
            (segment, offset) -> {
              if (segment.isLive(offset) && segment.store(offset) == number) {
                remove(segment, offset);
              }
            });
      }
      unwrittenBytes -= arrayBytes(unwritten.length, Integer.BYTES);
      stores.set(number, null);
      if (table.count() == 0) {
        clear();
      }
    }
  }

  private CacheSegment segment(int place) {
    return segments[CacheSegment.number(place)];
  }

  private int hash(int store, byte[] bytes, int from, int to) {
    return CacheSegment.hash(seed + store, bytes, from, to);
  }

  private int hash(CacheSegment segment, int offset) {
    return hash(
        segment.store(offset), segment.bytes(), segment.keyFrom(offset), segment.keyTo(offset));
  }

  /** Takes an entry out that is written, or whose store leaves. */
  private void remove(CacheSegment segment, int offset) {
    table.remove(hash(segment, offset), segment.place(offset));
    segment.setDead(offset);
    liveBytes -= segment.needed(offset);
  }

  /** Lets go of everything, when there is no entry. */
  private void clear() {
    table.clear();
    segments = new CacheSegment[0];
    order.clear();
    open = null;
    for (StoreEntries store : stores) {
      if (store != null) {
        store.unwritten = new int[0];
      }
    }
    unwrittenBytes = 0;
    allSegmentBytes = 0;
    filledBytes = 0;
  }

  /**
   * Makes room for one more entry in the table, and among the unwritten ones; false: there is none.
   */
  private boolean makeIndex(StoreEntries store) {
    // What goes may be enough.
    while (table.isFull() && !hasFree(table.growth())) {
      if (order.isEmpty()) {
        return false;
      }
      recycle(true, false);
    }
    if (table.isFull()) {
      table.grow();
    }
    while (store.isFull() && !hasFree(store.growth())) {
      if (order.isEmpty()) {
        return false;
      }
      recycle(true, false);
    }
    if (store.isFull()) {
      store.grow();
    }
    return true;
  }

  private boolean hasFree(long more) {
    return bytes() + more <= maxBytes;
  }

  /** Where an entry may be written; {@link #NONE}: all that there may be is not enough. */
  private int reserve(int size) {
    int length = Math.max(segmentBytes, size);
    if (bytes() - allSegmentBytes + CacheSegment.OVERHEAD_BYTES + length > maxBytes) {
      return NONE;
    }
    for (int turns = order.size(); ; turns--) {
      if (open != null && size <= open.room()) {
        return take(open, size);
      }
      boolean isFull = bytes() + CacheSegment.OVERHEAD_BYTES + length > maxBytes;
      boolean isSparse = turns > 0 && isSparse(isFull);
      if (isFull || isSparse) {
        recycle(isFull && !isSparse, length == segmentBytes);
      } else if (length > segmentBytes) {
        return take(addSegment(length), size);
      } else {
        open = addSegment(length);
      }
    }
  }

  /** Whether to move entries together: before others go for room, and otherwise for half of all. */
  private boolean isSparse(boolean isFull) {
    return isFull ? 8 * liveBytes < 7 * filledBytes : 2 * liveBytes < filledBytes;
  }

  private int take(CacheSegment segment, int size) {
    filledBytes += size;
    return segment.place(segment.take(size));
  }

  private CacheSegment addSegment(int length) {
    int number = 0;
    while (number < segments.length && segments[number] != null) {
      number++;
    }
    if (number == segments.length) {
      segments = Arrays.copyOf(segments, Math.max(MIN_SEGMENTS, 2 * number));
    }
    CacheSegment added = new CacheSegment(number, length);
    segments[number] = added;
    order.addLast(added);
    allSegmentBytes += CacheSegment.OVERHEAD_BYTES + length;
    return added;
  }

  /**
   * Moves together what stays of the first segment, without room for longer values that entries had
   * before, and makes it the last one.
   *
   * @param evicts whether entries go that were not used of late; otherwise those alone that do not
   *     count any more
   * @param keepsEmpty whether a segment of which nothing stays is used again
   */
  private void recycle(boolean evicts, boolean keepsEmpty) {
    CacheSegment first = order.getFirst();
    if (evicts) {
      writeUnused(first);
    }
    order.removeFirst();
    int end = 0;
    int size;
    for (int offset = 0; offset < first.end(); offset += size) {
      size = first.size(offset);
      if (evicts && first.isLive(offset) && !first.isUsed(offset)) {
        remove(first, offset);
      }
      if (!first.isLive(offset)) {
        continue;
      }
      if (evicts) {
        first.setUsed(offset, false);
      }
      int needed = first.needed(offset);
      first.setSize(offset, needed);
      if (end < offset) {
        move(first, offset, end);
      }
      end += needed;
    }
    filledBytes -= first.end() - end;
    first.cut(end);
    boolean isLarge = first.bytes().length > segmentBytes;
    if (end == 0 && (isLarge || !keepsEmpty)) {
      segments[first.number()] = null;
      allSegmentBytes -= CacheSegment.OVERHEAD_BYTES + first.bytes().length;
      open = open == first ? null : open;
      return;
    }
    order.addLast(first);
    if (!isLarge && (open == null || open.room() < first.room())) {
      open = first;
    }
  }

  private void move(CacheSegment segment, int from, int to) {
    table.move(hash(segment, from), segment.place(from), segment.place(to));
    int index = segment.unwritten(from);
    if (index != CacheSegment.WRITTEN) {
      stores.get(segment.store(from)).unwritten[index] = segment.place(to);
    }
    segment.move(from, to);
  }

  /** Writes what has to be of the entries that go, each store's in one batch. */
  private void writeUnused(CacheSegment going) {
    Map<StoreEntries, List<KeyValue<Bytes, byte[]>>> batches = new LinkedHashMap<>();
    going.forEach(
        (segment, offset) -> {
          if (segment.goesUnwritten(offset)) {
            batches
                .computeIfAbsent(stores.get(segment.store(offset)), unused -> new ArrayList<>())
                .add(segment.pair(offset));
          }
        });
    batches.forEach((store, batch) -> store.writer.accept(batch));
    // Only now: what could not be written is still to be.
    going.forEach(
        (segment, offset) -> {
          if (segment.goesUnwritten(offset)) {
            stores.get(segment.store(offset)).setWritten(segment.place(offset));
          }
        });
    batches.keySet().forEach(StoreEntries::shrink);
  }
}
