package io.indexview.streams.health;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What the tasks of this process do with one generation. Safe for use by several threads. */
public final class ViewCounters {
  static final ViewCounters NONE = new ViewCounters();

  private final LongAdder upserts = new LongAdder();
  private final LongAdder deletes = new LongAdder();
  private final Map<ViewMeter, ViewFigures> figures = new ConcurrentHashMap<>();

  ViewCounters() {}

  void count(long moreUpserts, long moreDeletes) {
    upserts.add(moreUpserts);
    deletes.add(moreDeletes);
  }

  void show(ViewMeter task, ViewFigures current) {
    figures.put(task, current);
  }

  /** Forgets a task; false if none is left. */
  boolean leave(ViewMeter task) {
    figures.remove(task);
    return !figures.isEmpty();
  }

  /** Since the first task of this process took it up. */
  public long upserts() {
    return upserts.sum();
  }

  /** Since the first task of this process took it up. */
  public long deletes() {
    return deletes.sum();
  }

  /** Of all tasks together. */
  public ViewFigures figures() {
    return figures.values().stream().reduce(ViewFigures.NONE, ViewFigures::plus);
  }
}
