package io.indexview.streams.topology;

/**
 * Says where the entries of a {@link StateCache} are, by their hashes: an open-addressing table
 * with linear probing, from which entries are taken by moving back those after them (Knuth, The Art
 * of Computer Programming 3, 6.4, algorithm R). Not safe for use by several threads.
 */
final class EntryTable {
  /** Stands for no slot. */
  static final int NONE = -1;

  private static final int MIN_SLOTS = 16;
  private static final int ARRAY_BYTES = 16;

  /** Hash in the upper half, place + 1 in the lower; 0: free. */
  private long[] slots = {};

  private int count;

  /** How many entries there are. */
  int count() {
    return count;
  }

  /** What it takes on the heap. */
  long bytes() {
    return arrayBytes(slots.length, Long.BYTES);
  }

  /** Whether one more entry makes it too full. */
  boolean isFull() {
    return (count + 1) * 3L > slots.length * 2L;
  }

  /** How many bytes it takes more after {@link #grow}. */
  long growth() {
    return arrayBytes(larger(), Long.BYTES) - bytes();
  }

  /** What an array takes on the heap; nothing if it is empty, as all share that one. */
  static long arrayBytes(long length, int each) {
    return length == 0 ? 0 : ARRAY_BYTES + length * each;
  }

  private int larger() {
    return Math.max(MIN_SLOTS, 2 * slots.length);
  }

  void grow() {
    long[] before = slots;
    slots = new long[larger()];
    for (long one : before) {
      if (one != 0) {
        slots[freeSlot(hash(one))] = one;
      }
    }
  }

  /** Lets go of everything. */
  void clear() {
    slots = new long[0];
    count = 0;
  }

  /** The first slot of a hash; {@link #NONE}: there is none. */
  int first(int hash) {
    return slots.length == 0 ? NONE : from(hash & (slots.length - 1), hash);
  }

  /** The slot of the same hash after another one; {@link #NONE}: there is none. */
  int next(int slot) {
    int mask = slots.length - 1;
    return from((slot + 1) & mask, hash(slots[slot]));
  }

  private int from(int start, int hash) {
    int mask = slots.length - 1;
    for (int slot = start; slots[slot] != 0; slot = (slot + 1) & mask) {
      if (hash(slots[slot]) == hash) {
        return slot;
      }
    }
    return NONE;
  }

  /** Where the entry of a slot is. */
  int place(int slot) {
    return (int) slots[slot] - 1;
  }

  /** Takes an entry in. The table must not be {@link #isFull full}. */
  void add(int hash, int place) {
    slots[freeSlot(hash)] = slot(hash, place);
    count++;
  }

  /** An entry that is here is in another place now. */
  void move(int hash, int from, int to) {
    slots[slotOf(hash, from)] = slot(hash, to);
  }

  /** Takes an entry out that is here. */
  void remove(int hash, int place) {
    int mask = slots.length - 1;
    int free = slotOf(hash, place);
    for (int next = (free + 1) & mask; slots[next] != 0; next = (next + 1) & mask) {
      int home = hash(slots[next]) & mask;
      if (((next - home) & mask) >= ((next - free) & mask)) {
        slots[free] = slots[next];
        free = next;
      }
    }
    slots[free] = 0;
    count--;
  }

  private int freeSlot(int hash) {
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int slotOf(int hash, int place) {
    long wanted = slot(hash, place);
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (slots[slot] != wanted) {
      if (slots[slot] == 0) {
        throw new IllegalStateException("no entry at place " + place);
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int hash(long slot) {
    return (int) (slot >>> Integer.SIZE);
  }

  private static long slot(int hash, int place) {
    return ((long) hash << Integer.SIZE) | (place + 1);
  }
}
