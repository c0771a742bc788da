package io.indexview.streams.topology;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;

/**
 * A part of a {@link StateCache}: entries one after the other in one array. Those that do not count
 * any more stay until the others are moved together. Not safe for use by several threads.
 *
 * <p>An entry: how many bytes it may take in all, the lengths of key and value, its index among the
 * unwritten of its store, the number of the store with whether it was used, each an int; then key
 * and value.
 */
final class CacheSegment {
  /** Entries begin at multiples of it, so that an int says where in all segments. */
  static final int UNIT = 8;

  private static final int OFFSET_BITS = 15;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;

  /** A larger one has one entry. */
  static final int MAX_BYTES = UNIT << OFFSET_BITS;

  /**
   * Heap that a segment takes beside its bytes: the array's header, this object, and references to
   * both.
   */
  static final int OVERHEAD_BYTES = 64;

  /** Stands for the index of an entry that is written already. */
  static final int WRITTEN = -1;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

  private static final int KEY_LENGTH = 4;
  private static final int VALUE_LENGTH = 8;
  private static final int UNWRITTEN = 12;
  private static final int STORE = 16;
  private static final int HEADER_BYTES = 20;

  private static final int NO_VALUE = -1;
  private static final int DEAD = -1;
  private static final int USED = 1;

  private final int number;
  private final byte[] bytes;
  private int end;

  /** Sees what is in a segment, be it live or not. */
  interface Visitor {
    void visit(CacheSegment segment, int offset);
  }

  CacheSegment(int number, int length) {
    this.number = number;
    this.bytes = new byte[length];
  }

  /** Hash of a key, which is a part of the bytes. */
  static int hash(long seed, byte[] bytes, int from, int to) {
    long hash = seed;
    int at = from;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      hash = mix(hash ^ (long) LONG.get(bytes, at));
    }
    long rest = (long) to - from;
    for (; at < to; at++) {
      rest = rest << Byte.SIZE | bytes[at] & 0xff;
    }
    return (int) mix(hash ^ rest);
  }

  private static long mix(long bits) {
    long mixed = bits * HASH_FACTOR;
    mixed = (mixed ^ mixed >>> Integer.SIZE) * HASH_FACTOR;
    return mixed ^ mixed >>> Integer.SIZE;
  }

  /** How many bytes an entry takes. */
  static int size(byte[] key, byte[] value) {
    return size(key.length, value == null ? 0 : value.length);
  }

  private static int size(int keyLength, int valueLength) {
    int length = Math.addExact(Math.addExact(keyLength, valueLength), HEADER_BYTES + UNIT - 1);
    return length / UNIT * UNIT;
  }

  /** The number of the segment that a place is in. */
  static int number(int place) {
    return place >> OFFSET_BITS;
  }

  static int offset(int place) {
    return (place & OFFSET_MASK) * UNIT;
  }

  /** Where in all segments an entry is; never negative. */
  int place(int offset) {
    return number << OFFSET_BITS | offset / UNIT;
  }

  int number() {
    return number;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Offset after the last entry. */
  int end() {
    return end;
  }

  int room() {
    return bytes.length - end;
  }

  /** Where something of a size is to be written. */
  int take(int size) {
    int offset = end;
    end += size;
    return offset;
  }

  /** Lets go of what is after an offset. */
  void cut(int offset) {
    end = offset;
  }

  void forEach(Visitor visitor) {
    for (int offset = 0; offset < end; offset += size(offset)) {
      visitor.visit(this, offset);
    }
  }

  private int get(int offset) {
    return (int) INT.get(bytes, offset);
  }

  private void set(int offset, int value) {
    INT.set(bytes, offset, value);
  }

  /** Whether an entry was not used of late, and has to be written before it goes. */
  boolean goesUnwritten(int offset) {
    return isLive(offset) && !isUsed(offset) && unwritten(offset) != WRITTEN;
  }

  /** How many bytes there are for an entry. */
  int size(int offset) {
    return get(offset);
  }

  void setSize(int offset, int size) {
    set(offset, size);
  }

  /** How many bytes an entry takes with the value that it has now. */
  int needed(int offset) {
    return size(get(offset + KEY_LENGTH), Math.max(0, get(offset + VALUE_LENGTH)));
  }

  /** Begins an entry, without its value. */
  void add(int offset, int size, int store, byte[] key, boolean isUsed) {
    set(offset, size);
    set(offset + KEY_LENGTH, key.length);
    set(offset + UNWRITTEN, WRITTEN);
    set(offset + STORE, store << 1 | (isUsed ? USED : 0));
    System.arraycopy(key, 0, bytes, offset + HEADER_BYTES, key.length);
  }

  void move(int from, int to) {
    System.arraycopy(bytes, from, bytes, to, size(from));
  }

  boolean isLive(int offset) {
    return get(offset + STORE) != DEAD;
  }

  void setDead(int offset) {
    set(offset + STORE, DEAD);
  }

  /** Number of the store. */
  int store(int offset) {
    return get(offset + STORE) >> 1;
  }

  boolean isUsed(int offset) {
    return (get(offset + STORE) & USED) != 0;
  }

  void setUsed(int offset, boolean isUsed) {
    int store = get(offset + STORE);
    int next = isUsed ? store | USED : store & ~USED;
    if (next != store) {
      set(offset + STORE, next);
    }
  }

  /** Index among the unwritten of its store, or {@link #WRITTEN}. */
  int unwritten(int offset) {
    return get(offset + UNWRITTEN);
  }

  void setUnwritten(int offset, int index) {
    set(offset + UNWRITTEN, index);
  }

  int keyFrom(int offset) {
    return offset + HEADER_BYTES;
  }

  int keyTo(int offset) {
    return offset + HEADER_BYTES + get(offset + KEY_LENGTH);
  }

  boolean isOf(int offset, int store, byte[] key) {
    return store(offset) == store
        && Arrays.equals(bytes, keyFrom(offset), keyTo(offset), key, 0, key.length);
  }

  /** Null: there is to be none. */
  byte[] value(int offset) {
    int length = get(offset + VALUE_LENGTH);
    int from = keyTo(offset);
    return length == NO_VALUE ? null : Arrays.copyOfRange(bytes, from, from + length);
  }

  void setValue(int offset, byte[] value) {
    set(offset + VALUE_LENGTH, value == null ? NO_VALUE : value.length);
    if (value != null) {
      System.arraycopy(value, 0, bytes, keyTo(offset), value.length);
    }
  }

  KeyValue<Bytes, byte[]> pair(int offset) {
    byte[] key = Arrays.copyOfRange(bytes, keyFrom(offset), keyTo(offset));
    return KeyValue.pair(Bytes.wrap(key), value(offset));
  }
}
