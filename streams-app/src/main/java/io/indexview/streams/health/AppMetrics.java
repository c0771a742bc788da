package io.indexview.streams.health;

import io.indexview.streams.health.ViewMeter.ViewFigures;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The application's own counters. Plain adders, not sensors of Kafka: recording those costs as much
 * as deriving a row. Safe for use by several threads.
 */
public final class AppMetrics {
  private final ViewStateGauges viewStates = new ViewStateGauges();
  private final RestoreProgress restore = new RestoreProgress();
  private final Map<String, RecordSetCounters> recordSets = new ConcurrentSkipListMap<>();
  private final Map<ViewKey, ViewCounters> views = new ConcurrentHashMap<>();

  /** Names a generation of a view. */
  public record ViewKey(String view, int generation) implements Comparable<ViewKey> {
    @Override
    public int compareTo(ViewKey other) {
      int byName = view.compareTo(other.view);
      return byName != 0 ? byName : Integer.compare(generation, other.generation);
    }
  }

  public ViewStateGauges viewStates() {
    return viewStates;
  }

  public RestoreProgress restore() {
    return restore;
  }

  public RecordSetCounters recordSet(String name) {
    return recordSets.computeIfAbsent(name, unused -> new RecordSetCounters());
  }

  /** For a task that takes a generation up; it is shown until every such task has left it. */
  public ViewMeter join(String view, int generation) {
    ViewKey key = new ViewKey(view, generation);
    ViewMeter[] joined = new ViewMeter[1];
    views.compute(
        key,
        (unused, known) -> {
          ViewCounters counters = known == null ? new ViewCounters() : known;
          joined[0] = new ViewMeter(counters, this, key);
          counters.show(joined[0], ViewFigures.NONE);
          return counters;
        });
    return joined[0];
  }

  void leave(ViewKey key, ViewMeter task) {
    views.computeIfPresent(key, (unused, counters) -> counters.leave(task) ? counters : null);
  }

  /** All zero if no task of this process writes the generation. */
  public ViewCounters view(String name, int generation) {
    return views.getOrDefault(new ViewKey(name, generation), ViewCounters.NONE);
  }

  Map<String, RecordSetCounters> recordSets() {
    return new TreeMap<>(recordSets);
  }

  Map<ViewKey, ViewCounters> views() {
    return new TreeMap<>(views);
  }

  /** What the tasks of this process do with one generation. Safe for use by several threads. */
  public static final class ViewCounters {
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
}
