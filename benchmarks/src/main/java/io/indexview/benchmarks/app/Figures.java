package io.indexview.benchmarks.app;

import com.sun.management.ThreadMXBean;
import io.indexview.benchmarks.contest.Effort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a process has used since its start; where the system does not tell by threads, 0.
 *
 * @param cpuNanos of all threads
 * @param compilerNanos of the compiler's
 * @param collectorNanos of the collector's
 * @param derivingNanos of those that consume and derive
 * @param allocatedBytes on the heap, by threads that live
 * @param peakBytes of memory that was resident at once
 */
record Figures(
    long cpuNanos,
    long compilerNanos,
    long collectorNanos,
    long derivingNanos,
    long allocatedBytes,
    long peakBytes) {
  /** Figures of a process that has not started. */
  static final Figures NONE = new Figures(0, 0, 0, 0, 0, 0);

  /** Flink names threads after their task and its number. */
  private static final Pattern FLINK_TASK = Pattern.compile(" \\(\\d+/\\d+\\)#\\d+$");

  private static final Path TASKS = Path.of("/proc/self/task");
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final long NANOS_PER_TICK = 10_000_000;

  /** Where user and system time are in {@code stat}, after the name in parentheses. */
  private static final int USER_TIME = 11;

  private static final int SYSTEM_TIME = 12;

  /** Figures of this process. */
  static Figures now() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long deriving = 0;
    long allocated = 0;
    for (var info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info == null) {
        continue;
      }
      allocated += Math.max(0, threads.getThreadAllocatedBytes(info.getThreadId()));
      String name = info.getThreadName();
      if (derives(name)) {
        deriving += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
      }
    }
    return new Figures(
        Effort.ProcessCpu.nanos(),
        nativeNanos("C1 ", "C2 "),
        nativeNanos("GC ", "G1 ", "VM Thread"),
        deriving,
        allocated,
        peak());
  }

  /** The producers' threads are named after those whose rows they send. */
  private static boolean derives(String thread) {
    return !thread.startsWith("kafka-")
        && (thread.contains("-StreamThread-")
            || thread.startsWith(RawClients.THREAD)
            || FLINK_TASK.matcher(thread).find());
  }

  private static long nativeNanos(String... prefixes) throws IOException {
    if (!Files.isDirectory(TASKS)) {
      return 0;
    }
    long ticks = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        String stat = read(task.resolve("stat"));
        String name = stat.substring(stat.indexOf('(') + 1, Math.max(1, stat.lastIndexOf(')')));
        if (Arrays.stream(prefixes).anyMatch(name::startsWith)) {
          String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
          ticks += Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
        }
      }
    }
    return ticks * NANOS_PER_TICK;
  }

  /** A thread may have ended meanwhile. */
  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "() ";
    }
  }

  private static long peak() throws IOException {
    if (!Files.exists(STATUS)) {
      return 0;
    }
    for (String line : Files.readAllLines(STATUS)) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return 0;
  }

  /** What was used since then; the peak is that of now. */
  Figures since(Figures before) {
    return new Figures(
        cpuNanos - before.cpuNanos,
        compilerNanos - before.compilerNanos,
        collectorNanos - before.collectorNanos,
        derivingNanos - before.derivingNanos,
        allocatedBytes - before.allocatedBytes,
        peakBytes);
  }

  /** Time of all threads that are neither the compiler's nor the collector's, nor derive. */
  long otherNanos() {
    return cpuNanos - compilerNanos - collectorNanos - derivingNanos;
  }

  /** Text of the figures, in one line. */
  String toLine() {
    return Arrays.stream(
            new long[] {
              cpuNanos, compilerNanos, collectorNanos, derivingNanos, allocatedBytes, peakBytes
            })
        .mapToObj(Long::toString)
        .collect(Collectors.joining(" "));
  }

  /** Reads {@link #toLine} back. */
  static Figures ofLine(String line) {
    long[] all = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    return new Figures(all[0], all[1], all[2], all[3], all[4], all[5]);
  }
}
