package io.indexview.streams.lifecycle;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.machine.Publication;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The process that owns the views: the real {@link Owner} in transactions that may be aborted at
 * every point, with the work that was wanted in them already begun.
 */
final class SimOwner {
  static final Duration GRACE = Duration.ofSeconds(2);
  private static final LifeSettings SETTINGS =
      new LifeSettings(
          GRACE,
          new Topics(Topics.DEFAULT_PREFIX),
          Map.of("kv", "connect-kv", "dynamodb", "connect-dynamodb"));

  private final World world;
  private final Map<String, String> committed = new HashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private Map<String, String> open = new HashMap<>();
  private int wishesCommitted;
  private int progressCommitted;
  private int wishes;
  private int progress;
  private Owner owner;
  private SimWorker worker;
  private Set<Work> wanted = Set.of();

  SimOwner(World world) {
    this.world = world;
    startWorker();
    restart();
  }

  /**
   * @param read how many records of the progress it is made from
   */
  record Pending(Publication publication, int read) {}

  private record OpenStore(Map<String, String> map) implements LifeStore {
    @Override
    public Map<String, String> all() {
      return map;
    }

    @Override
    public void put(String key, String text) {
      if (text == null) {
        map.remove(key);
      } else {
        map.put(key, text);
      }
    }
  }

  /** What becomes of the worker when the owner's transaction is aborted. */
  private enum Crash {
    /** The same process begins another transaction. */
    OF_TRANSACTION,
    /** Another process takes over, and the one before does not know yet. */
    OF_SESSION,
    OF_PROCESS
  }

  private void crash(Crash crash) {
    if (crash == Crash.OF_PROCESS) {
      worker.die();
      world.workers.remove(worker);
    }
    if (crash != Crash.OF_TRANSACTION) {
      startWorker();
    }
    restart();
  }

  private void startWorker() {
    worker = new SimWorker(world);
    world.workers.add(worker);
    if (world.workers.size() > 2) {
      world.workers.remove(0).die();
    }
  }

  private void restart() {
    open = new HashMap<>(committed);
    pending.clear();
    wishes = wishesCommitted;
    progress = progressCommitted;
    owner = new Owner(SETTINGS, new OpenStore(open));
    wanted = Set.of();
    want();
  }

  void heal() {
    while (world.workers.size() > 1) {
      world.workers.remove(0).die();
    }
  }

  void step(Random random) {
    int choice = random.nextInt(20);
    if (choice < 2) {
      readWish();
    } else if (choice < 12) {
      readProgress();
      readProgress();
    } else if (choice < 15) {
      take(owner.ticked(world.nowMs), null);
    } else if (choice < 19 || world.calm) {
      commit();
    } else {
      crash(Crash.values()[random.nextInt(Crash.values().length)]);
    }
  }

  private void readWish() {
    if (wishes < world.wishes.size()) {
      World.WishRecord record = world.wishes.get(wishes++);
      take(
          record.wish() == null
              ? owner.dropped(record.view(), world.nowMs)
              : owner.wished(record.wish(), world.nowMs),
          null);
    }
  }

  private void readProgress() {
    if (progress < world.progress.size()) {
      Object record = world.progress.get(progress++);
      if (record instanceof TaskProgress report) {
        take(owner.reported(report, world.nowMs), record);
      } else if (record instanceof WorkResult result) {
        take(owner.worked(result, world.nowMs), record);
      }
    }
  }

  private void take(List<Publication> publications, Object cause) {
    for (Publication publication : publications) {
      pending.add(new Pending(publication, progress));
      if (publication instanceof Publication.State state) {
        noteSwitch(state.state(), cause);
      }
    }
    want();
  }

  private void noteSwitch(ViewState state, Object cause) {
    if (cause instanceof WorkResult.Done done && done.work().startsWith("ready|")) {
      state
          .serving()
          .filter(serving -> serving.number() == done.generation())
          .ifPresent(serving -> world.checks.switching(state, done.work()));
    }
  }

  private void want() {
    Set<Work> now = owner.wanted();
    if (!now.equals(wanted)) {
      wanted = now;
      world.checks.wanted(now);
      worker.want(now);
    }
  }

  private void commit() {
    world.commit(pending);
    pending.clear();
    committed.clear();
    committed.putAll(open);
    wishesCommitted = wishes;
    progressCommitted = progress;
  }

  boolean isQuiet() {
    return pending.isEmpty()
        && wishesCommitted == world.wishes.size()
        && progressCommitted == world.progress.size()
        && committed.equals(open)
        && wanted.stream().allMatch(Work.Watch.class::isInstance);
  }

  Set<Work> wanted() {
    return wanted;
  }
}
