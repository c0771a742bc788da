package io.indexview.streams.topology;

import org.apache.kafka.common.utils.Bytes;

/**
 * Bounds the heap that the entries of all {@link CachedStore}s of a stream thread take: the oldest
 * goes first, unless it was used since it came or was spared. Then it is spared (CLOCK, or second
 * chance). Not safe for use by several threads.
 *
 * <p>To keep the order of use would cost six references of old objects at each use, all of which
 * the collector looks at: more than the use itself.
 */
final class StateCache {
  /** Of a slot with its place in a map and among others, and of two arrays. */
  static final int OVERHEAD_BYTES = 120;

  private final long maxBytes;
  private long bytes;

  /** Its neighbours are the slot taken in or spared last, and the one to go or be spared next. */
  private final Slot ends = new Slot(null, new byte[0], null);

  /** An entry as its store would have it. Is its own key, as another object would cost memory. */
  static final class Slot extends Bytes {
    private final CachedStore store;
    private byte[] value;
    private boolean unwritten;
    private boolean used;
    private Slot newer = this;
    private Slot older = this;

    /**
     * @param value null: there is to be none
     */
    Slot(CachedStore store, byte[] key, byte[] value) {
      super(key);
      this.store = store;
      this.value = value;
    }

    byte[] value() {
      return value;
    }

    /** About, on the heap. */
    int bytes() {
      return OVERHEAD_BYTES + get().length + (value == null ? 0 : value.length);
    }

    boolean isUnwritten() {
      return unwritten;
    }

    void setUnwritten(boolean isUnwritten) {
      unwritten = isUnwritten;
    }
  }

  /**
   * @param maxBytes 0: holds nothing
   */
  StateCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** About, on the heap. */
  long bytes() {
    return bytes;
  }

  /** Takes a new slot in; stores may lose others for that, and even this one. */
  void add(Slot slot) {
    bytes += slot.bytes();
    insert(slot);
    // Where all others were used it would be the one to go.
    slot.used = true;
    shrink();
    slot.used = false;
  }

  /** Notes that a slot was used. */
  void use(Slot slot) {
    slot.used = true;
  }

  /** The same, with another value; stores may lose slots for that, and even this one. */
  void use(Slot slot, byte[] value) {
    bytes -= slot.bytes();
    slot.value = value;
    slot.used = true;
    bytes += slot.bytes();
    shrink();
  }

  void remove(Slot slot) {
    bytes -= slot.bytes();
    unlink(slot);
  }

  private void shrink() {
    while (bytes > maxBytes) {
      Slot next = ends.newer;
      if (next.used) {
        next.used = false;
        unlink(next);
        insert(next);
      } else {
        next.store.letGo(next);
        remove(next);
      }
    }
  }

  private void insert(Slot slot) {
    slot.newer = ends;
    slot.older = ends.older;
    ends.older.newer = slot;
    ends.older = slot;
  }

  private static void unlink(Slot slot) {
    slot.older.newer = slot.newer;
    slot.newer.older = slot.older;
  }
}
