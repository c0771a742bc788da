package io.indexview.streams.topology;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Limits how much of a stream thread scans take from live events: chunks of bounded length, and
 * while events come, pauses as long as the chunks. Knows when the thread is at rest. One for all
 * tasks of a thread.
 */
final class ScanLimiter {
  /** Longer than a transaction is open: who waits for the next event then holds up no commit. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long chunkNanos;
  private final LongSupplier nanoTime;
  private boolean eventsCame;
  private long pauseBegan;
  private long pauseNanos;
  private long activeAt;

  /**
   * @param chunk how long a chunk lasts, about
   * @param nanoTime like {@link System#nanoTime}
   */
  ScanLimiter(Duration chunk, LongSupplier nanoTime) {
    this.chunkNanos = chunk.toNanos();
    this.nanoTime = nanoTime;
    this.pauseBegan = nanoTime.getAsLong();
    this.activeAt = pauseBegan;
  }

  /**
   * Notes an event.
   *
   * @param now like {@link System#nanoTime}
   */
  void eventCame(long now) {
    eventsCame = true;
    activeAt = now;
  }

  /** Whether there was neither an event nor something to scan for a while. */
  boolean isAtRest() {
    return nanoTime.getAsLong() - activeAt > REST_NANOS;
  }

  /**
   * Runs a chunk, unless it is time for events.
   *
   * @param chunk gets what says that its time is over
   */
  void run(Consumer<BooleanSupplier> chunk) {
    long began = nanoTime.getAsLong();
    activeAt = began;
    if (began - pauseBegan < pauseNanos) {
      return;
    }
    boolean isBusy = eventsCame;
    eventsCame = false;
    chunk.accept(() -> nanoTime.getAsLong() - began >= chunkNanos);
    pauseBegan = nanoTime.getAsLong();
    pauseNanos = isBusy ? pauseBegan - began : 0;
  }
}
