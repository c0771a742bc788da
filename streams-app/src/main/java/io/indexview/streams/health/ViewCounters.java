package io.indexview.streams.health;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What one generation of a view emitted since the process started. */
public final class ViewCounters {
  private final LongAdder upserts = new LongAdder();
  private final LongAdder deletes = new LongAdder();
  private final AtomicLong degradedRecords = new AtomicLong();

  ViewCounters() {}

  public void count(long moreUpserts, long moreDeletes) {
    upserts.add(moreUpserts);
    deletes.add(moreDeletes);
  }

  void degraded() {
    degradedRecords.incrementAndGet();
  }

  /** A record that degraded the view in an earlier life of the process is not in the count. */
  void recovered() {
    degradedRecords.updateAndGet(records -> Math.max(0, records - 1));
  }

  public long upserts() {
    return upserts.sum();
  }

  public long deletes() {
    return deletes.sum();
  }

  public long degradedRecords() {
    return degradedRecords.get();
  }
}
