package io.indexview.benchmarks.contest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do one thing after the other, each when it has done the one before. */
public final class Callers implements AutoCloseable {
  private final int count;
  private final Duration time;
  private final ExecutorService executor;

  /**
   * @param time of a trial
   */
  public Callers(int count, Duration time) {
    this.count = count;
    this.time = time;
    this.executor = Executors.newFixedThreadPool(count);
  }

  /**
   * How contests of callers are held.
   *
   * @param directory for stores and topics; null: where the system keeps temporary files
   * @param trial how long a contestant has in a round
   * @param people records that there are
   * @param callers at once, contests for each
   */
  public record Plan(
      Path directory, int rounds, Duration trial, int people, List<Integer> callers) {}

  /** What a caller does again and again. Safe for use by many threads. */
  public interface Call {
    /** Does it once; returns how many units that was. */
    int run() throws Exception;
  }

  /** All do it until the time is over. */
  public Effort run(Call call) throws Exception {
    return Effort.of(() -> all(call));
  }

  private long all(Call call) throws Exception {
    long until = System.nanoTime() + time.toNanos();
    Callable<Long> caller =
        () -> {
          long units = 0;
          do {
            units += call.run();
          } while (System.nanoTime() - until < 0);
          return units;
        };
    List<Callable<Long>> callers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      callers.add(caller);
    }
    long units = 0;
    for (Future<Long> done : executor.invokeAll(callers)) {
      units += done.get();
    }
    return units;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
