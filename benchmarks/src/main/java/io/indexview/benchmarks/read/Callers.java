package io.indexview.benchmarks.read;

import io.indexview.benchmarks.contest.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** Threads that read page after page, each when it has the one before. */
final class Callers implements AutoCloseable {
  private final int count;
  private final Duration time;
  private final ExecutorService executor;

  /**
   * @param time of a trial
   */
  Callers(int count, Duration time) {
    this.count = count;
    this.time = time;
    this.executor = Executors.newFixedThreadPool(count);
  }

  /**
   * Reads pages that begin anywhere.
   *
   * @param people that there are
   * @return how many pages
   */
  Effort read(PageSource<?> source, int people, int rows) throws Exception {
    return Effort.of(() -> all(source, lastStart(people, rows) + 1, rows));
  }

  /** Two of three people are in the view's partition that is read. */
  static int lastStart(int people, int rows) {
    return people - (rows + 2) * 3 / 2 - 1;
  }

  private long all(PageSource<?> source, int starts, int rows) throws Exception {
    long until = System.nanoTime() + time.toNanos();
    Callable<Long> caller =
        () -> {
          long pages = 0;
          do {
            source.read(ThreadLocalRandom.current().nextInt(starts), rows);
            pages++;
          } while (System.nanoTime() - until < 0);
          return pages;
        };
    List<Callable<Long>> callers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      callers.add(caller);
    }
    long pages = 0;
    for (Future<Long> done : executor.invokeAll(callers)) {
      pages += done.get();
    }
    return pages;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
