package io.indexview.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
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

  /** Options for one turn of everything that the pattern names. */
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
}
