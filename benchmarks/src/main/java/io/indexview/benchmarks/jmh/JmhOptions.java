package io.indexview.benchmarks.jmh;

import io.indexview.benchmarks.contest.Effort.ProcessCpu;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Option;

/** How long JMH measures. */
public final class JmhOptions {
  private static final String HEAP = "512m";

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "How often each benchmark has its turn. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--forks",
      defaultValue = "1",
      description = "Java processes per turn; 0 measures in this one. Default: ${DEFAULT-VALUE}")
  private int forks;

  @Option(
      names = "--iterations",
      defaultValue = "2",
      description = "Warm-ups and then measurements per turn. Default: ${DEFAULT-VALUE}")
  private int iterations;

  @Option(
      names = "--iteration-ms",
      defaultValue = "1000",
      description = "How long one of them lasts. Default: ${DEFAULT-VALUE}")
  private long iterationMs;

  int rounds() {
    return rounds;
  }

  /** For one turn of everything that the pattern names. */
  ChainedOptionsBuilder turn(String pattern) {
    TimeValue time = new TimeValue(iterationMs, TimeUnit.MILLISECONDS);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(pattern)
            .verbosity(VerboseMode.SILENT)
            .addProfiler(GCProfiler.class)
            .addProfiler(CpuProfiler.class)
            .shouldFailOnError(true)
            .forks(forks)
            .warmupForks(0)
            .warmupIterations(iterations)
            .warmupTime(time)
            .measurementIterations(iterations)
            .measurementTime(time);
    return forks == 0 ? options : options.jvmArgs("-Xms" + HEAP, "-Xmx" + HEAP, "-XX:+UseSerialGC");
  }

  /** Processor time per operation. JMH makes one by its constructor without parameters. */
  static final class CpuProfiler implements InternalProfiler {
    static final String CPU = "cpu.norm";

    private long start;

    @Override
    public String getDescription() {
      return "Processor time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
      start = ProcessCpu.nanos();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
        BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
      double nanos = ProcessCpu.nanos() - start;
      long operations = Math.max(1, result.getMetadata().getAllOps());
      return List.of(new ScalarResult(CPU, nanos / operations, "ns/op", AggregationPolicy.AVG));
    }
  }
}
