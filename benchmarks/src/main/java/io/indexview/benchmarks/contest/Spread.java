package io.indexview.benchmarks.contest;

import java.util.List;
import java.util.Locale;

/** How far the samples of one figure lie apart. */
public record Spread(double min, double median, double max) {
  /**
   * @param samples one at least
   */
  public static Spread of(List<Double> samples) {
    List<Double> sorted = samples.stream().sorted().toList();
    int size = sorted.size();
    double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    return new Spread(sorted.get(0), median, sorted.get(size - 1));
  }

  /** {@code 0.93 (0.90-0.97)}. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f (%.2f-%.2f)", median, min, max);
  }
}
