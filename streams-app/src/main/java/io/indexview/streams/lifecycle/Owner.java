package io.indexview.streams.lifecycle;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.machine.Publication;
import io.indexview.streams.lifecycle.machine.ViewEvent;
import io.indexview.streams.lifecycle.machine.ViewMachine;
import io.indexview.streams.lifecycle.view.BrokenSet;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The owner of all views: takes what happened to the views that it concerns, keeps what follows,
 * and returns what is to be published with it. Times are ms since the epoch. Not safe for use by
 * several threads.
 */
final class Owner {
  private final ViewMachine machine;
  private final LifeMemory memory;
  private final Map<String, List<Work>> wanted = new HashMap<>();
  private final Map<String, Optional<ViewMachine.Health>> health = new TreeMap<>();

  /** Views whose life goes on by itself. */
  private final Set<String> restless = new TreeSet<>();

  /** Views that changed since their health was looked at. */
  private final Set<String> unseen = new HashSet<>();

  private Set<Work> everything = Set.of();

  /** Goes on from what the store holds. */
  Owner(LifeSettings settings, LifeStore store) {
    this.machine = new ViewMachine(settings);
    this.memory = new LifeMemory(store);
    memory.lives().values().forEach(this::noteChange);
  }

  List<Publication> wished(ViewWish wish, long nowMs) {
    List<Publication> all = new ArrayList<>();
    if (!memory.lives().containsKey(wish.view())) {
      memory.keep(ViewLife.unknown(wish.view()));
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

  /** Asks those views alone that may go on without news. */
  List<Publication> ticked(long nowMs) {
    return stepAll(restless, new ViewEvent.Ticked(), nowMs);
  }

  private BrokenSet set(String recordSet) {
    return memory.sets().getOrDefault(recordSet, BrokenSet.NONE);
  }

  private List<Publication> changed(String recordSet, BrokenSet set, long nowMs) {
    if (set.equals(memory.sets().get(recordSet))) {
      return List.of();
    }
    memory.keep(recordSet, set);
    return stepAll(memory.lives().keySet(), new ViewEvent.SetsBroken(broken()), nowMs);
  }

  private Map<String, String> broken() {
    Map<String, String> reasons = new HashMap<>();
    memory
        .sets()
        .forEach(
            (recordSet, set) -> {
              if (set.isBroken()) {
                reasons.put(recordSet, set.reason());
              }
            });
    return reasons;
  }

  private List<Publication> stepAll(Set<String> views, ViewEvent event, long nowMs) {
    List<Publication> all = new ArrayList<>();
    for (String view : List.copyOf(views)) {
      all.addAll(step(view, event, nowMs));
    }
    return all;
  }

  private List<Publication> step(String view, ViewEvent event, long nowMs) {
    ViewLife before = memory.lives().get(view);
    if (before == null) {
      return List.of();
    }
    ViewMachine.Step step = machine.step(before, event, nowMs);
    if (!step.life().equals(before)) {
      memory.keep(step.life());
      noteChange(step.life());
    } else if (!ViewMachine.waitsForTime(before)) {
      restless.remove(view);
    }
    return step.publications();
  }

  private void noteChange(ViewLife life) {
    restless.add(life.view());
    unseen.add(life.view());
    List<Work> now = List.copyOf(ViewMachine.wanted(life));
    if (!now.equals(wanted.put(life.view(), now))) {
      Set<Work> all = new LinkedHashSet<>();
      wanted.values().forEach(all::addAll);
      everything = Collections.unmodifiableSet(all);
    }
  }

  /** Everything that is wanted now; the same object as long as that is the same. */
  Set<Work> wanted() {
    return everything;
  }

  /** How the views are that there are. */
  List<ViewMachine.Health> health() {
    unseen.forEach(view -> health.put(view, ViewMachine.health(memory.lives().get(view))));
    unseen.clear();
    return health.values().stream().flatMap(Optional::stream).toList();
  }

  /** Views that are asked in each tick. */
  Set<String> restless() {
    return Collections.unmodifiableSet(restless);
  }
}
