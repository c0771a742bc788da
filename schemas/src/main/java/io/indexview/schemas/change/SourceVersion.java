package io.indexview.schemas.change;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A version given by the source, comparable inside one epoch only.
 *
 * @param epoch what the sequence counts in: store incarnation and shard, or a constant
 * @param sequence compared unsigned after right zero padding; not copied, never to be changed
 */
public record SourceVersion(String epoch, byte[] sequence) {
  public SourceVersion {
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(sequence, "sequence");
  }

  /**
   * Compares two sequences of one epoch: unsigned bytes, the shorter one padded with zeros on the
   * right.
   */
  public static int compareSequences(byte[] left, byte[] right) {
    int common = Math.min(left.length, right.length);
    int difference = Arrays.compareUnsigned(left, 0, common, right, 0, common);
    if (difference != 0) {
      return difference;
    }
    if (hasNonZero(left, common)) {
      return 1;
    }
    return hasNonZero(right, common) ? -1 : 0;
  }

  private static boolean hasNonZero(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] != 0) {
        return true;
      }
    }
    return false;
  }

  /** Versions are equal if their epochs and their sequences are, whatever the padding. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SourceVersion that
        && epoch.equals(that.epoch)
        && compareSequences(sequence, that.sequence) == 0;
  }

  @Override
  public int hashCode() {
    int length = sequence.length;
    while (length > 0 && sequence[length - 1] == 0) {
      length--;
    }
    int hash = epoch.hashCode();
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + sequence[i];
    }
    return hash;
  }

  @Override
  public String toString() {
    return epoch + ":" + HexFormat.of().formatHex(sequence);
  }
}
