package io.indexview.streams.health;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's own counters. Plain adders, not sensors of Kafka: recording those costs as much
 * as deriving a row. Safe for use by several threads.
 */
public final class AppMetrics implements ViewHealth {
  private static final Logger LOGGER = LoggerFactory.getLogger(AppMetrics.class);

  private final Map<String, RecordSetCounters> recordSets = new ConcurrentSkipListMap<>();
  private final Map<ViewKey, ViewCounters> views = new ConcurrentSkipListMap<>();

  /** Names a generation of a view. */
  public record ViewKey(String view, int generation) implements Comparable<ViewKey> {
    @Override
    public int compareTo(ViewKey other) {
      int byName = view.compareTo(other.view);
      return byName != 0 ? byName : Integer.compare(generation, other.generation);
    }
  }

  public RecordSetCounters recordSet(String name) {
    return recordSets.computeIfAbsent(name, unused -> new RecordSetCounters());
  }

  public ViewCounters view(String name, int generation) {
    return views.computeIfAbsent(new ViewKey(name, generation), unused -> new ViewCounters());
  }

  @Override
  public void degraded(String view, int generation, String reason) {
    ViewCounters counters = view(view, generation);
    if (counters.degradedRecords() == 0) {
      LOGGER.warn("View {} generation {} is degraded: {}", view, generation, reason);
    }
    counters.degraded();
  }

  @Override
  public void recovered(String view, int generation) {
    ViewCounters counters = view(view, generation);
    counters.recovered();
    if (counters.degradedRecords() == 0) {
      LOGGER.info("View {} generation {}: no underivable record left", view, generation);
    }
  }

  Map<String, RecordSetCounters> recordSets() {
    return new TreeMap<>(recordSets);
  }

  Map<ViewKey, ViewCounters> views() {
    return new TreeMap<>(views);
  }
}
