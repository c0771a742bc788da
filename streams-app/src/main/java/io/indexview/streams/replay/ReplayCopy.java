package io.indexview.streams.replay;

import io.indexview.streams.derive.Entries;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What a replay has folded, beside the state. It is empty, or begins with a mark that says which
 * fold it is of and how far that has come: unlike the state it does not move with the task. Not
 * safe for use by several threads.
 */
final class ReplayCopy implements Entries {
  private static final byte[] MARK = {0};
  private static final byte RECORD = 1;
  private static final byte[] SETTLED = {};
  private static final int MOST_REMOVALS = 1_000;

  private final Entries store;
  private Mark mark;
  private byte[] removed;

  private record Mark(long attempt, long next) {}

  /**
   * @param store everything in it belongs to this
   */
  ReplayCopy(Entries store) {
    this.store = store;
    byte[] stored = store.get(MARK);
    if (stored != null) {
      ByteBuffer in = ByteBuffer.wrap(stored);
      this.mark = new Mark(in.getLong(), in.getLong());
    }
  }

  boolean isEmpty() {
    return mark == null;
  }

  /** Whether it holds what a fold has come to. */
  boolean holds(long attempt, long next) {
    return mark != null && mark.attempt() == attempt && mark.next() == next;
  }

  boolean isOf(long attempt) {
    return mark != null && mark.attempt() == attempt;
  }

  /** Says what it holds. */
  void mark(long attempt, long next) {
    mark = new Mark(attempt, next);
    store.put(MARK, ByteBuffer.allocate(2 * Long.BYTES).putLong(attempt).putLong(next).array());
  }

  /** The record was put in place already, and changed since. */
  void settle(byte[] key) {
    put(key, SETTLED);
  }

  static boolean isSettled(byte[] entry) {
    return entry != null && entry.length == 0;
  }

  /** Removes one slice, one record at least; the mark goes last. */
  void clear(BooleanSupplier expired) {
    List<byte[]> keys = new ArrayList<>();
    boolean whole =
        scan(
            removed,
            (key, entry) -> {
              keys.add(key);
              return keys.size() < MOST_REMOVALS && !expired.getAsBoolean();
            });
    keys.forEach(key -> put(key, null));
    if (whole) {
      store.put(MARK, null);
      mark = null;
      removed = null;
    } else {
      // To begin at the first key again would pass all that is removed once more.
      removed = keys.get(keys.size() - 1);
    }
  }

  private static byte[] inner(byte[] key) {
    return ByteBuffer.allocate(1 + key.length).put(RECORD).put(key).array();
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(inner(key));
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    store.put(inner(key), entry);
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    return store.scan(
        after == null ? MARK : inner(after),
        (key, entry) -> visitor.visit(Arrays.copyOfRange(key, 1, key.length), entry));
  }

  @Override
  public long estimatedSize() {
    return store.estimatedSize();
  }
}
