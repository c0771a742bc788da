package io.indexview.streams.health;

import io.indexview.streams.health.AppMetricsRegistry.MetricGroup;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/**
 * The application's own counters. Plain adders, not sensors of Kafka: recording those costs as much
 * as deriving a row. Whoever asks for a metric reads them. Safe for use by several threads.
 */
public final class AppMetrics implements AutoCloseable {
  private final AppMetricsRegistry registry;
  private final ViewStateGauges viewStates;
  private final RestoreProgress restore = new RestoreProgress();
  private final Map<String, RecordSetCounters> recordSets = new ConcurrentHashMap<>();
  private final Map<ViewKey, Followed> views = new ConcurrentHashMap<>();

  /** Names a generation of a view. */
  record ViewKey(String view, int generation) {}

  private record Followed(ViewCounters counters, MetricGroup metrics) {}

  /** Creates metrics without MBeans. */
  public AppMetrics() {
    this(AppMetricsRegistry.withoutJmx(), () -> 0);
  }

  /**
   * Shown as MBeans of the JVM, too, until it is closed.
   *
   * @param clientId tells the applications of one JVM apart; two with the same id take each other's
   *     MBeans away
   * @param registryWaits threads and partitions that wait for the schema registry now
   */
  public AppMetrics(String clientId, IntSupplier registryWaits) {
    this(AppMetricsRegistry.withJmx(clientId), registryWaits);
  }

  private AppMetrics(AppMetricsRegistry registry, IntSupplier registryWaits) {
    this.registry = registry;
    this.viewStates = new ViewStateGauges(registry);
    registry.addApp(viewStates::unreadable, restore::offsets, registryWaits);
  }

  public ViewStateGauges viewStates() {
    return viewStates;
  }

  public RestoreProgress restore() {
    return restore;
  }

  AppMetricsRegistry registry() {
    return registry;
  }

  public RecordSetCounters recordSet(String name) {
    return recordSets.computeIfAbsent(
        name,
        unused -> {
          RecordSetCounters counters = new RecordSetCounters();
          registry.addRecordSet(name, counters);
          return counters;
        });
  }

  /**
   * Adds a task that begins to write a generation; the meter is shown until every such task has
   * left it.
   */
  public ViewMeter join(String view, int generation) {
    ViewKey key = new ViewKey(view, generation);
    ViewMeter[] joined = new ViewMeter[1];
    views.compute(
        key,
        (unused, known) -> {
          Followed followed = known == null ? follow(key) : known;
          joined[0] = new ViewMeter(followed.counters(), this, key);
          followed.counters().show(joined[0], ViewFigures.NONE);
          return followed;
        });
    return joined[0];
  }

  private Followed follow(ViewKey key) {
    ViewCounters counters = new ViewCounters();
    return new Followed(counters, registry.addGeneration(key.view(), key.generation(), counters));
  }

  void leave(ViewKey key, ViewMeter task) {
    views.computeIfPresent(
        key,
        (unused, followed) -> {
          if (followed.counters().leave(task)) {
            return followed;
          }
          followed.metrics().remove();
          return null;
        });
  }

  /** All zero if no task of this process writes the generation. */
  public ViewCounters view(String name, int generation) {
    Followed followed = views.get(new ViewKey(name, generation));
    return followed == null ? ViewCounters.NONE : followed.counters();
  }

  /** Takes the MBeans away; counting goes on. */
  @Override
  public void close() {
    registry.close();
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

    /** Rows upserted since the first task of this process began with the generation. */
    public long upserts() {
      return upserts.sum();
    }

    /** Rows deleted since the first task of this process began with the generation. */
    public long deletes() {
      return deletes.sum();
    }

    /** Sum over all tasks of this process. */
    public ViewFigures figures() {
      return figures.values().stream().reduce(ViewFigures.NONE, ViewFigures::plus);
    }
  }
}
