package io.indexview.benchmarks.jmh;

import io.indexview.benchmarks.contest.Outcome.Spread;
import io.indexview.benchmarks.contest.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Methods of a class of JMH benchmarks that take turns. Those compared with each other run one
 * right after the other, each with the same parameter.
 */
public final class JmhContest {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  private final Class<?> benchmark;
  private final String parameter;
  private final List<Pair> pairs;

  /**
   * Two methods that do the same.
   *
   * @param reference what it is compared with
   */
  public record Pair(String method, String reference) {}

  /**
   * @param benchmark measures ns per operation
   * @param parameter its only one
   */
  public JmhContest(Class<?> benchmark, String parameter, List<Pair> pairs) {
    this.benchmark = benchmark;
    this.parameter = parameter;
    this.pairs = List.copyOf(pairs);
  }

  /** Runs all turns, then adds a row per value and pair. */
  public void run(List<String> values, JmhOptions options, Consumer<String> progress, Table table)
      throws RunnerException {
    Map<String, Samples> samples = new TreeMap<>();
    for (int round = 0; round < options.rounds(); round++) {
      for (String value : values) {
        progress.accept(
            "%s: round %d of %d, %s = %s"
                .formatted(
                    benchmark.getSimpleName(), round + 1, options.rounds(), parameter, value));
        for (Pair pair : pairs) {
          turn(options, value, pair, samples);
        }
      }
    }
    for (String value : values) {
      for (Pair pair : pairs) {
        row(
            table,
            value,
            pair,
            samples.get(value + pair + pair.method()),
            samples.get(value + pair + pair.reference()));
      }
    }
  }

  private void turn(JmhOptions options, String value, Pair pair, Map<String, Samples> samples)
      throws RunnerException {
    for (String method : List.of(pair.reference(), pair.method())) {
      String pattern = benchmark.getName().replace(".", "\\.") + "\\." + method + "$";
      for (RunResult result :
          new Runner(options.turn(pattern).param(parameter, value).build()).run()) {
        samples.computeIfAbsent(value + pair + method, unused -> new Samples()).add(result);
      }
    }
  }

  private void row(Table table, String value, Pair pair, Samples own, Samples reference) {
    table.row(
        value,
        pair.method(),
        Table.whole(own.nanos()),
        Table.whole(own.cpu()),
        Table.whole(own.bytes()),
        pair.reference(),
        Table.whole(reference.cpu()),
        Table.whole(reference.bytes()),
        own.speedOver(reference).toString());
  }

  /** A table for the rows. */
  public static Table table(String title, String parameter) {
    return new Table(
        title,
        parameter,
        "benchmark",
        "ns/op",
        "CPU ns/op",
        "B/op",
        "compared with",
        "CPU ns/op",
        "B/op",
        "CPU ratio");
  }

  /** What one method came to, by round. */
  private static final class Samples {
    private final List<Double> nanos = new ArrayList<>();
    private final List<Double> cpu = new ArrayList<>();
    private final List<Double> bytes = new ArrayList<>();

    private void add(RunResult result) {
      nanos.add(result.getPrimaryResult().getScore());
      cpu.add(result.getSecondaryResults().get(CpuProfiler.CPU).getScore());
      bytes.add(result.getSecondaryResults().get(ALLOCATION).getScore());
    }

    private double nanos() {
      return Spread.of(nanos).median();
    }

    private double cpu() {
      return Spread.of(cpu).median();
    }

    private double bytes() {
      return Spread.of(bytes).median();
    }

    /** How often it can be done in the time that the other takes once, by processor time. */
    private Spread speedOver(Samples other) {
      return Spread.of(
          IntStream.range(0, cpu.size()).mapToObj(i -> other.cpu.get(i) / cpu.get(i)).toList());
    }
  }
}
