package io.indexview.kvstore.embedded;

import java.util.Arrays;

/**
 * Encoded keys from {@code lower} (included) to {@code upper} (excluded; null for no bound),
 * compared as unsigned bytes.
 */
record ByteRange(byte[] lower, byte[] upper) {
  /** Exactly one key. */
  static ByteRange point(byte[] key) {
    return new ByteRange(key, successor(key));
  }

  /** The part after a key that was read. */
  ByteRange after(byte[] key) {
    return new ByteRange(successor(key), upper);
  }

  /** The part before a key that was read. */
  ByteRange before(byte[] key) {
    return new ByteRange(lower, key);
  }

  boolean startsAtOrBefore(byte[] key) {
    return Arrays.compareUnsigned(lower, key) <= 0;
  }

  boolean endsAfter(byte[] key) {
    return upper == null || Arrays.compareUnsigned(key, upper) < 0;
  }

  /** The very next byte string. */
  private static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
