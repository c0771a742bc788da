package io.indexview.benchmarks.contest;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Processor time of this process, all threads, compiler and collector among them. Unlike the time
 * that passes it says little of what else the machine does.
 */
public final class ProcessCpu {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private ProcessCpu() {}

  /** Used so far. */
  public static long nanos() {
    return SYSTEM.getProcessCpuTime();
  }
}
