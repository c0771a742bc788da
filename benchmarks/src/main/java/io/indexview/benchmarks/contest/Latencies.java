package io.indexview.benchmarks.contest;

import java.util.Arrays;

/** How long things took. Safe for use by several threads. */
public final class Latencies {
  private static final double NANOS_PER_MILLI = 1e6;

  private long[] nanos = new long[1 << 12];
  private int count;
  private boolean sorted;

  public synchronized void add(long taken) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, count * 2);
    }
    nanos[count++] = taken;
    sorted = false;
  }

  public synchronized int count() {
    return count;
  }

  /**
   * Time within which a share of the latencies lies, in ms; NaN if there are none.
   *
   * @param share 0.5 for the median
   */
  public synchronized double millis(double share) {
    if (count == 0) {
      return Double.NaN;
    }
    if (!sorted) {
      Arrays.sort(nanos, 0, count);
      sorted = true;
    }
    int rank = (int) Math.ceil(share * count);
    return nanos[Math.max(0, Math.min(count, rank) - 1)] / NANOS_PER_MILLI;
  }
}
