package io.indexview.streams.replay;

import io.indexview.streams.derive.Entries;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What a replay has folded, beside the state. It is neither logged nor committed, so what it holds
 * after a start may be of any time, and is of no use. Not safe for use by several threads.
 */
final class ReplayCopy implements Entries {
  private static final byte[] SETTLED = {};
  private static final int MOST_REMOVALS = 1_000;

  private final Entries store;
  private boolean stale;
  private byte[] removed;

  /**
   * @param store everything in it belongs to this
   */
  ReplayCopy(Entries store) {
    this.store = store;
    store.scan(
        null,
        (key, entry) -> {
          stale = true;
          return false;
        });
  }

  /** Whether it has to be cleared before it can be used. */
  boolean isStale() {
    return stale;
  }

  /** What it holds is of no use any more. */
  void discard() {
    stale = true;
  }

  /** Removes one slice, one record at least if there is one. */
  void clear(BooleanSupplier expired) {
    List<byte[]> keys = new ArrayList<>();
    boolean whole =
        store.scan(
            removed,
            (key, entry) -> {
              keys.add(key);
              return keys.size() < MOST_REMOVALS && !expired.getAsBoolean();
            });
    keys.forEach(key -> store.put(key, null));
    stale = !whole;
    // To begin at the first key again would pass all that is removed once more.
    removed = whole ? null : keys.get(keys.size() - 1);
  }

  /** The record was put in place already, and changed since. */
  void settle(byte[] key) {
    put(key, SETTLED);
  }

  static boolean isSettled(byte[] entry) {
    return entry != null && entry.length == 0;
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(key);
  }

  @Override
  public void put(byte[] key, byte[] entry) {
    store.put(key, entry);
  }

  @Override
  public boolean scan(byte[] after, Visitor visitor) {
    return store.scan(after, visitor);
  }

  @Override
  public long estimatedSize() {
    return store.estimatedSize();
  }
}
