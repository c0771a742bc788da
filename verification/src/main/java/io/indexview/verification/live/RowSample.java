package io.indexview.verification.live;

import io.indexview.schemas.control.VerificationOptions;
import java.util.function.Predicate;

/**
 * A share of all rows, chosen by their ids alone: so a row is in it on both sides, or on neither.
 * Another seed chooses others. Safe for use by several threads.
 */
final class RowSample implements Predicate<String> {
  private final double share;
  private final long seed;

  /**
   * @param percent above 0; 100: all rows
   */
  RowSample(double percent, String seed) {
    this.share = percent / VerificationOptions.ALL;
    this.seed = mixed(seed.hashCode());
  }

  @Override
  public boolean test(String id) {
    return share >= 1 || (mixed(seed ^ id.hashCode()) >>> 11) * 0x1.0p-53 < share;
  }

  /** Mixes bits as {@link java.util.SplittableRandom} does: each bit depends on all others. */
  private static long mixed(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
