package io.indexview.streams.topology;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Shares a stream thread between live events and builds: slices of bounded length, and while events
 * come, pauses as long as the slices. One for all tasks of a thread.
 */
final class BuildPace {
  private final long sliceNanos;
  private final LongSupplier nanoTime;
  private boolean eventsCame;
  private long pauseBegan;
  private long pauseNanos;

  /**
   * @param slice how long a slice lasts, about
   * @param nanoTime like {@link System#nanoTime}
   */
  BuildPace(Duration slice, LongSupplier nanoTime) {
    this.sliceNanos = slice.toNanos();
    this.nanoTime = nanoTime;
    this.pauseBegan = nanoTime.getAsLong();
  }

  void eventCame() {
    eventsCame = true;
  }

  /**
   * Runs a slice, unless it is time for events.
   *
   * @param slice gets what says that its time is over
   */
  void run(Consumer<BooleanSupplier> slice) {
    long began = nanoTime.getAsLong();
    if (began - pauseBegan < pauseNanos) {
      return;
    }
    boolean isBusy = eventsCame;
    eventsCame = false;
    slice.accept(() -> nanoTime.getAsLong() - began >= sliceNanos);
    pauseBegan = nanoTime.getAsLong();
    pauseNanos = isBusy ? pauseBegan - began : 0;
  }
}
