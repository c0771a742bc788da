package io.indexview.streams.lifecycle;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.machine.Publication;
import io.indexview.streams.lifecycle.machine.ViewEvent;
import io.indexview.streams.lifecycle.machine.ViewMachine;
import io.indexview.streams.lifecycle.view.BrokenSet;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.view.ViewLifeCodec;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The owner of all views: takes what happened to the views that it concerns, keeps what follows,
 * and returns what is to be published with it. Times are ms since the epoch. Not safe for use by
 * several threads.
 */
final class Owner {
  private static final String VIEW = "view|";
  private static final String SET = "set|";

  private final ViewMachine machine;
  private final LifeStore store;
  private final Map<String, ViewLife> lives = new TreeMap<>();
  private final Map<String, BrokenSet> sets = new HashMap<>();
  private final Map<String, Collection<Work>> wanted = new HashMap<>();

  /** Goes on from what the store holds. */
  Owner(LifeSettings settings, LifeStore store) {
    this.machine = new ViewMachine(settings);
    this.store = store;
    store.all().forEach(this::remember);
    lives.forEach((view, life) -> wanted.put(view, ViewMachine.wanted(life)));
  }

  private void remember(String key, String text) {
    if (key.startsWith(VIEW)) {
      lives.put(key.substring(VIEW.length()), ViewLifeCodec.read(ViewLife.class, text));
    } else {
      sets.put(key.substring(SET.length()), ViewLifeCodec.read(BrokenSet.class, text));
    }
  }

  List<Publication> wished(ViewWish wish, long nowMs) {
    List<Publication> all = new ArrayList<>();
    if (!lives.containsKey(wish.view())) {
      lives.put(wish.view(), ViewLife.unknown(wish.view()));
      all.addAll(step(wish.view(), new ViewEvent.SetsBroken(broken()), nowMs));
    }
    all.addAll(step(wish.view(), new ViewEvent.Wished(wish), nowMs));
    return all;
  }

  List<Publication> dropped(String view, long nowMs) {
    return step(view, new ViewEvent.Dropped(), nowMs);
  }

  List<Publication> unreadable(String view, String reason, long nowMs) {
    return step(view, new ViewEvent.Unreadable(reason), nowMs);
  }

  List<Publication> reported(TaskProgress progress, long nowMs) {
    return step(progress.view(), new ViewEvent.Reported(progress), nowMs);
  }

  List<Publication> worked(WorkResult result, long nowMs) {
    if (result instanceof WorkResult.RecordSetBroken broken) {
      BrokenSet known = set(broken.recordSet());
      return changed(broken.recordSet(), known.broken(broken.sinceMs(), broken.reason()), nowMs);
    }
    if (result instanceof WorkResult.RecordSetWhole whole) {
      return changed(whole.recordSet(), set(whole.recordSet()).whole(whole.atMs()), nowMs);
    }
    return step(result.view(), new ViewEvent.Worked(result), nowMs);
  }

  List<Publication> ticked(long nowMs) {
    return stepAll(new ViewEvent.Ticked(), nowMs);
  }

  private BrokenSet set(String recordSet) {
    return sets.getOrDefault(recordSet, BrokenSet.NONE);
  }

  private List<Publication> changed(String recordSet, BrokenSet set, long nowMs) {
    if (set.equals(sets.put(recordSet, set))) {
      return List.of();
    }
    store.put(SET + recordSet, ViewLifeCodec.write(set));
    return stepAll(new ViewEvent.SetsBroken(broken()), nowMs);
  }

  private Map<String, String> broken() {
    Map<String, String> reasons = new HashMap<>();
    sets.forEach(
        (recordSet, set) -> {
          if (set.isBroken()) {
            reasons.put(recordSet, set.reason());
          }
        });
    return reasons;
  }

  private List<Publication> stepAll(ViewEvent event, long nowMs) {
    List<Publication> all = new ArrayList<>();
    for (String view : List.copyOf(lives.keySet())) {
      all.addAll(step(view, event, nowMs));
    }
    return all;
  }

  private List<Publication> step(String view, ViewEvent event, long nowMs) {
    ViewLife before = lives.get(view);
    if (before == null) {
      return List.of();
    }
    ViewMachine.Step step = machine.step(before, event, nowMs);
    if (!step.life().equals(before)) {
      lives.put(view, step.life());
      store.put(VIEW + view, ViewLifeCodec.write(step.life()));
      wanted.put(view, ViewMachine.wanted(step.life()));
    }
    return step.publications();
  }

  /** Everything that is wanted now. */
  Set<Work> wanted() {
    Set<Work> all = new LinkedHashSet<>();
    wanted.values().forEach(all::addAll);
    return all;
  }

  /** How the views are that there are. */
  List<ViewMachine.Health> health() {
    return lives.values().stream().flatMap(life -> ViewMachine.health(life).stream()).toList();
  }
}
