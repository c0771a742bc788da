package io.indexview.benchmarks.contest;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What a contest came to.
 *
 * @param reference what the others are compared with
 * @param efforts of each contestant, by round
 */
public record Outcome(String reference, Map<String, List<Effort>> efforts) {
  private static final double MICROS_PER_SECOND = 1e6;

  /** Median rate of a contestant, in units per second. */
  public double rate(String contestant) {
    return median(contestant, Effort::rate);
  }

  /** Median processor time of a contestant, in microseconds per unit. */
  public double cpuMicros(String contestant) {
    return MICROS_PER_SECOND / median(contestant, Effort::cpuRate);
  }

  private double median(String contestant, ToDoubleFunction<Effort> figure) {
    return Spread.of(efforts.get(contestant).stream().map(figure::applyAsDouble).toList()).median();
  }

  /** A contestant's rate over the reference's, each round on its own. */
  public Spread ratio(String contestant) {
    return ratio(contestant, Effort::rate);
  }

  /** Ratio of units per processor time: what the ratio would be if nothing had to be waited for. */
  public Spread cpuRatio(String contestant) {
    return ratio(contestant, Effort::cpuRate);
  }

  private Spread ratio(String contestant, ToDoubleFunction<Effort> figure) {
    List<Effort> own = efforts.get(contestant);
    List<Effort> others = efforts.get(reference);
    return Spread.of(
        IntStream.range(0, own.size())
            .mapToObj(i -> figure.applyAsDouble(own.get(i)) / figure.applyAsDouble(others.get(i)))
            .toList());
  }

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
}
