package io.indexview.streams.topology;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Limits how much of a stream thread scans take from live events: chunks of bounded length, and
 * while events come, pauses as long as the chunks. One for all tasks of a thread.
 */
final class ScanLimiter {
  private final long chunkNanos;
  private final LongSupplier nanoTime;
  private boolean eventsCame;
  private long pauseBegan;
  private long pauseNanos;

  /**
   * @param chunk how long a chunk lasts, about
   * @param nanoTime like {@link System#nanoTime}
   */
  ScanLimiter(Duration chunk, LongSupplier nanoTime) {
    this.chunkNanos = chunk.toNanos();
    this.nanoTime = nanoTime;
    this.pauseBegan = nanoTime.getAsLong();
  }

  void eventCame() {
    eventsCame = true;
  }

  /**
   * Runs a chunk, unless it is time for events.
   *
   * @param chunk gets what says that its time is over
   */
  void run(Consumer<BooleanSupplier> chunk) {
    long began = nanoTime.getAsLong();
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
