package io.indexview.streams.replay;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.MarkerExpiry;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.resnapshot.PastPurges;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Puts the copy that a replay has made in the place of the state, record by record, and emits what
 * that changes in the views. Not safe for use by several threads.
 */
final class ReplaySwap {
  private static final int PAGE = 200;
  private static final long PAGE_BYTES = 1 << 20;

  private final Entries state;
  private final ReplayCopy copy;
  private final PastPurges purges;
  private final MarkerExpiry markers;
  private final StateDeriver deriver;
  private final TaskOutput out;

  ReplaySwap(
      Entries state,
      ReplayCopy copy,
      PastPurges purges,
      MarkerExpiry markers,
      StateDeriver deriver,
      TaskOutput out) {
    this.state = state;
    this.copy = copy;
    this.purges = purges;
    this.markers = markers;
    this.deriver = deriver;
    this.out = out;
  }

  /**
   * What a slice did.
   *
   * @param last key of its last record; the one before if there was none
   * @param whole whether that was the last one of all
   */
  record Slice(byte[] last, long records, boolean whole) {}

  /** Some entries that follow one another. */
  private record Page(NavigableMap<byte[], byte[]> entries, boolean whole) {
    static Page of(Entries entries, byte[] after) {
      NavigableMap<byte[], byte[]> page = new TreeMap<>(Arrays::compareUnsigned);
      long[] bytes = {0};
      boolean whole =
          entries.scan(
              after,
              (key, entry) -> {
                page.put(key, entry);
                bytes[0] += key.length + entry.length;
                return page.size() < PAGE && bytes[0] < PAGE_BYTES;
              });
      return new Page(page, whole);
    }
  }

  /**
   * Settles the records after a key, one at least if there is one.
   *
   * @param after null: from the first
   * @param expired whether the time of the slice is over; asked after each record
   */
  Slice run(byte[] after, BooleanSupplier expired, long nowMs) {
    Page present = Page.of(state, after);
    Page replayed = Page.of(copy, after);
    NavigableSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    keys.addAll(present.entries().keySet());
    keys.addAll(replayed.entries().keySet());
    for (Page page : List.of(present, replayed)) {
      if (!page.whole()) {
        // What the page does not show may have records between the keys of the other.
        keys = keys.headSet(page.entries().lastKey(), true);
      }
    }
    byte[] last = after;
    long records = 0;
    boolean isOver = false;
    for (byte[] key : keys) {
      if (isOver) {
        return new Slice(last, records, false);
      }
      settle(key, present.entries().get(key), replayed.entries().get(key), nowMs);
      last = key;
      records++;
      isOver = expired.getAsBoolean();
    }
    return new Slice(last, records, present.whole() && replayed.whole());
  }

  /** Settles one record ahead of its turn, once. */
  void settle(byte[] key, long nowMs) {
    byte[] replayed = copy.get(key);
    if (!ReplayCopy.isSettled(replayed)) {
      settle(key, state.get(key), replayed, nowMs);
      copy.settle(key);
    }
  }

  private void settle(byte[] key, byte[] presentBytes, byte[] replayedBytes, long nowMs) {
    if (ReplayCopy.isSettled(replayedBytes)) {
      return;
    }
    Entry present = presentBytes == null ? null : EntryCodec.decode(presentBytes);
    Entry replayed =
        replayedBytes == null ? null : purges.now(key, EntryCodec.decode(replayedBytes));
    Entry next = replacement(present, replayed, nowMs);
    if (next != null) {
      deriver.replace(key, present, next, out);
      state.put(key, EntryCodec.encode(next));
    }
  }

  /** Null if what is there is as good. */
  private Entry replacement(Entry present, Entry replayed, long nowMs) {
    if (present == null) {
      return replayed == null || markers.isOver(replayed, nowMs)
          ? null
          : inPlaceOf(null, replayed, nowMs);
    }
    if (replayed == null) {
      return isBareMarker(present) || markers.isOver(present, nowMs)
          ? null
          : bareMarker(present, nowMs);
    }
    boolean bothOver = markers.isOver(present, nowMs) && markers.isOver(replayed, nowMs);
    return bothOver || isSame(present, replayed) ? null : inPlaceOf(present, replayed, nowMs);
  }

  private static boolean isSame(Entry one, Entry other) {
    return one.deleted() == other.deleted()
        && Objects.equals(one.version(), other.version())
        && one.left().equals(other.left())
        && Objects.equals(one.value(), other.value())
        && one.keySchemaId() == other.keySchemaId()
        && one.inferred() == other.inferred()
        && (one.deleted() || one.offset() == other.offset());
  }

  /** A marker over a live record counts from now: until then rows may be on their way. */
  private static Entry inPlaceOf(Entry present, Entry replayed, long nowMs) {
    boolean removes = replayed.deleted() && present != null && !present.deleted();
    return new Entry(
        replayed.version(),
        replayed.deleted(),
        replayed.left(),
        OrderGuard.revision(present, nowMs),
        replayed.offset(),
        removes ? nowMs : replayed.timestampMs(),
        replayed.value(),
        replayed.keySchemaId(),
        replayed.inferred());
  }

  private static boolean isBareMarker(Entry entry) {
    return entry.deleted() && entry.version() == null && entry.left().isEmpty();
  }

  /** Refuses no event, as if there were no entry; but the revisions of the record go on rising. */
  private static Entry bareMarker(Entry present, long nowMs) {
    return new Entry(
        null,
        true,
        List.of(),
        OrderGuard.revision(present, nowMs),
        present.offset(),
        nowMs,
        null,
        present.keySchemaId(),
        false);
  }
}
