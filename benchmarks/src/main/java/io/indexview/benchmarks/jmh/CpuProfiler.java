package io.indexview.benchmarks.jmh;

import io.indexview.benchmarks.contest.Effort.ProcessCpu;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Processor time per operation. JMH makes one by its constructor without parameters. */
public final class CpuProfiler implements InternalProfiler {
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
