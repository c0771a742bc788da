package io.indexview.streams.lifecycle;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.lifecycle.view.BrokenSet;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.view.ViewLifeCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the owner remembers, in the store: the newest report of each task by itself, since most of
 * what happens are reports, and the life of each view without them. So a report that only counts on
 * costs one record of a few hundred bytes, however many views, partitions and generations there
 * are. Nothing of it waits: it is committed with the report.
 */
final class LifeMemory {
  private static final String VIEW = "view|";
  private static final String TASK = "task|";
  private static final String SET = "set|";

  private final LifeStore store;
  private final Map<String, ViewLife> lives = new TreeMap<>();
  private final Map<String, BrokenSet> sets = new HashMap<>();

  /** Reads the store. */
  LifeMemory(LifeStore store) {
    this.store = store;
    Map<String, String> all = store.all();
    all.forEach(
        (key, text) -> {
          if (key.startsWith(VIEW)) {
            ViewLife life = ViewLifeCodec.read(ViewLife.class, text);
            lives.put(life.view(), life);
          } else if (key.startsWith(SET)) {
            sets.put(key.substring(SET.length()), ViewLifeCodec.read(BrokenSet.class, text));
          }
        });
    all.forEach(
        (key, text) -> {
          if (key.startsWith(TASK)) {
            recall(ViewLifeCodec.read(TaskProgress.class, text));
          }
        });
  }

  private void recall(TaskProgress report) {
    ViewLife life = lives.get(report.view());
    List<GenerationLife> generations =
        life.generations().stream()
            .map(
                generation ->
                    generation.number() == report.generation()
                        ? generation.with(report)
                        : generation)
            .toList();
    lives.put(report.view(), life.with(generations));
  }

  /** By view. */
  Map<String, ViewLife> lives() {
    return lives;
  }

  /** By record set. */
  Map<String, BrokenSet> sets() {
    return sets;
  }

  void keep(String recordSet, BrokenSet set) {
    sets.put(recordSet, set);
    store.put(SET + recordSet, ViewLifeCodec.write(set));
  }

  void keep(ViewLife after) {
    ViewLife before = lives.put(after.view(), after);
    ViewLife life = withoutTasks(after);
    if (before == null || !life.equals(withoutTasks(before))) {
      store.put(VIEW + after.view(), ViewLifeCodec.write(life));
    }
    Map<String, TaskProgress> known = before == null ? Map.of() : tasks(before);
    Map<String, TaskProgress> tasks = tasks(after);
    tasks.forEach(
        (key, report) -> {
          if (!report.equals(known.get(key))) {
            store.put(key, ViewLifeCodec.write(report));
          }
        });
    known.keySet().stream()
        .filter(key -> !tasks.containsKey(key))
        .forEach(key -> store.put(key, null));
  }

  private static ViewLife withoutTasks(ViewLife life) {
    return life.with(life.generations().stream().map(GenerationLife::withoutTasks).toList());
  }

  private static Map<String, TaskProgress> tasks(ViewLife life) {
    Map<String, TaskProgress> tasks = new HashMap<>();
    for (GenerationLife generation : life.generations()) {
      String prefix = TASK + life.view() + "|" + generation.number() + "|";
      generation.tasks().forEach((partition, report) -> tasks.put(prefix + partition, report));
    }
    return tasks;
  }
}
