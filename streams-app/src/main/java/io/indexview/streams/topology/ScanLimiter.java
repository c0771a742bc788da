package io.indexview.streams.topology;

import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Limits how much of a stream thread scans take from live events: chunks of bounded length, and
 * while events come, pauses as long as the chunks. Knows when the thread is at rest. One for all
 * tasks of a thread.
 */
final class ScanLimiter {
  /** Longer than a transaction is open: who waits for the next event then holds up no commit. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long chunkNanos;
  private final Time time;
  private boolean eventsCame;
  private long pauseBegan;
  private long pauseNanos;
  private long activeAt;

  /**
   * @param chunk how long a chunk lasts, about
   */
  ScanLimiter(Duration chunk, Time time) {
    this.chunkNanos = chunk.toNanos();
    this.time = time;
    this.pauseBegan = time.nanoTime();
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
    return time.nanoTime() - activeAt > REST_NANOS;
  }

  /**
   * Runs a chunk, unless it is time for events.
   *
   * @param chunk gets what says that its time is over
   */
  void run(Consumer<BooleanSupplier> chunk) {
    long began = time.nanoTime();
    activeAt = began;
    if (began - pauseBegan < pauseNanos) {
      return;
    }
    boolean isBusy = eventsCame;
    eventsCame = false;
    chunk.accept(() -> time.nanoTime() - began >= chunkNanos);
    pauseBegan = time.nanoTime();
    pauseNanos = isBusy ? pauseBegan - began : 0;
  }
}
