package io.indexview.demo.load;

import io.indexview.client.write.Writer;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Changes orders at a steady rate until it is closed. */
final class SteadyLoad implements AutoCloseable {
  private static final int MIN_BEAT_MS = 10;

  private final Writer writer;
  private final int records;
  private final int perBeat;
  private final SplittableRandom random = new SplittableRandom(7);
  private final AtomicLong written = new AtomicLong();
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  private SteadyLoad(Writer writer, int records, int perSecond) {
    this.writer = writer;
    this.records = records;
    this.perBeat = Math.max(1, perSecond * MIN_BEAT_MS / 1_000);
  }

  static SteadyLoad start(Writer writer, int records, int perSecond) {
    SteadyLoad load = new SteadyLoad(writer, records, perSecond);
    long beatNanos = TimeUnit.SECONDS.toNanos(load.perBeat) / perSecond;
    load.timer.scheduleAtFixedRate(load::beat, 0, beatNanos, TimeUnit.NANOSECONDS);
    return load;
  }

  private void beat() {
    try {
      for (int i = 0; i < perBeat; i++) {
        writer.put(Orders.key(random.nextInt(records)), Orders.random(random));
        written.incrementAndGet();
      }
    } catch (RuntimeException e) {
      failure.set(e);
      throw e;
    }
  }

  long written() {
    return written.get();
  }

  @Override
  public void close() throws InterruptedException {
    timer.shutdown();
    if (!timer.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the load does not end");
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }
}
