package io.indexview.benchmarks.contest;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * What one trial did.
 *
 * @param units done
 * @param nanos that passed
 * @param cpuNanos of processor time that the process used
 */
public record Effort(long units, long nanos, long cpuNanos) {
  private static final double MICROS_PER_SECOND = 1e6;

  /** Measures work that returns the units that it did. */
  public static Effort of(Callable<? extends Number> work) throws Exception {
    long start = System.nanoTime();
    long cpuStart = ProcessCpu.nanos();
    long units = work.call().longValue();
    return new Effort(units, System.nanoTime() - start, ProcessCpu.nanos() - cpuStart);
  }

  /** Units per second. */
  double rate() {
    return units * 1e9 / Math.max(nanos, 1);
  }

  /** Units per second of processor time. */
  double cpuRate() {
    return units * 1e9 / Math.max(cpuNanos, 1);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%,.0f/s, %.2f CPU us each", rate(), MICROS_PER_SECOND / cpuRate());
  }

  /**
   * Processor time of this process, all threads, compiler and collector among them. Unlike the time
   * that passes it says little of what else the machine does.
   */
  public static final class ProcessCpu {
    private static final OperatingSystemMXBean SYSTEM =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private ProcessCpu() {}

    /** Used so far. */
    public static long nanos() {
      return SYSTEM.getProcessCpuTime();
    }
  }
}
