package io.indexview.streams.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A record set of the simulated world: its primary-change topic, and what its source said. */
final class SimSource {
  final String recordSet;
  private final List<List<Event>> log = new ArrayList<>();

  /** End of each partition after the source had scanned everything; null: it has not yet. */
  private List<Integer> scanned;

  /** Where every record was published again, by when that began. */
  private final NavigableMap<Long, List<Integer>> snapshots = new TreeMap<>();

  /**
   * @param value null: deleted
   */
  record Event(String key, Integer value) {}

  SimSource(String recordSet, int partitions) {
    this.recordSet = recordSet;
    for (int i = 0; i < partitions; i++) {
      log.add(new ArrayList<>());
    }
  }

  int partitions() {
    return log.size();
  }

  void append(String key, Integer value) {
    log.get(Math.floorMod(key.hashCode(), partitions())).add(new Event(key, value));
  }

  int end(int partition) {
    return log.get(partition).size();
  }

  List<Integer> ends() {
    return log.stream().map(List::size).toList();
  }

  Event event(int partition, int position) {
    return log.get(partition).get(position);
  }

  void scan() {
    if (scanned == null) {
      scanned = ends();
    }
  }

  /** When the newest ad-hoc snapshot began that ends before a position; negative: there is none. */
  long snapshotBefore(int partition, int position) {
    return snapshots.descendingMap().entrySet().stream()
        .filter(ends -> position >= ends.getValue().get(partition))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(-1L);
  }

  boolean isComplete(int partition, int position) {
    return scanned != null && position >= scanned.get(partition);
  }

  /** What stands after the events before a position. */
  Map<String, Integer> stateAt(int partition, int position) {
    Map<String, Integer> state = new TreeMap<>();
    for (Event event : log.get(partition).subList(0, position)) {
      if (event.value() == null) {
        state.remove(event.key());
      } else {
        state.put(event.key(), event.value());
      }
    }
    return state;
  }

  /** Every record again. */
  void adHocSnapshot(long nowMs) {
    for (int partition = 0; partition < partitions(); partition++) {
      stateAt(partition, end(partition)).forEach(this::append);
    }
    snapshots.putIfAbsent(nowMs, ends());
  }
}
