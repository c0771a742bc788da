package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.order.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * The sweeping source: its index, and the sweep that runs.
 *
 * @param unread arrived in the topic, but not read by the index yet; only while a sweep runs, which
 *     begins with the index at the end of the topic
 * @param sweep null: none runs
 * @param lost the index was begun anew over a trimmed topic: sweeps publish every record, until one
 *     is complete
 */
record Sweeper(Entry index, List<ChangeEvent> unread, Sweep sweep, boolean lost) {
  static final Sweeper IDLE = new Sweeper(null, List.of(), null, false);

  /**
   * @param base the index entry when the sweep began
   * @param moved the key changed shards since then: a scan may miss it
   */
  record Sweep(Entry base, boolean moved, boolean looked, Store.Stored found) {}

  Sweeper begin() {
    return new Sweeper(index, unread, new Sweep(index, false, false, null), lost);
  }

  Sweeper moved() {
    return sweep == null || sweep.looked()
        ? this
        : new Sweeper(index, unread, new Sweep(sweep.base(), true, false, null), lost);
  }

  Sweeper look(Store.Stored found) {
    return new Sweeper(index, unread, new Sweep(sweep.base(), sweep.moved(), true, found), lost);
  }

  Sweeper receive(ChangeEvent event, Rules rules) {
    if (sweep == null) {
      return new Sweeper(rules.fold(index, event), unread, null, lost);
    }
    List<ChangeEvent> waiting = new ArrayList<>(unread);
    waiting.add(event);
    return new Sweeper(index, waiting, sweep, lost);
  }

  Sweeper catchUp(Rules rules) {
    Entry read = index;
    for (ChangeEvent event : unread) {
      read = rules.fold(read, event);
    }
    return new Sweeper(read, List.of(), sweep, lost);
  }

  Sweeper end(Rules rules) {
    return new Sweeper(catchUp(rules).index(), List.of(), null, lost);
  }

  /** The sweep was complete. */
  Sweeper complete(Rules rules) {
    return new Sweeper(catchUp(rules).index(), List.of(), null, false);
  }

  /** The task dies, and its index with it; the topic holds nothing any more. */
  Sweeper loseIndex() {
    return new Sweeper(null, List.of(), null, true);
  }

  /** The retention of tombstones passes. */
  Sweeper expire() {
    return new Sweeper(Events.aged(index), unread.stream().map(Events::aged).toList(), sweep, lost);
  }

  /**
   * Then it forgets nothing: a sweep forgets what was expired when it began, at the topic's end.
   */
  boolean lagsByARetention() {
    return unread.stream().anyMatch(event -> event.timestampMs() < 0);
  }

  Sweeper forget() {
    return new Sweeper(null, unread, sweep, lost);
  }

  /**
   * What the sweep has to tell; null if nothing.
   *
   * @param now the store when it is told
   */
  ChangeEvent difference(Rules rules, Store now) {
    if (lost) {
      return everything(now);
    }
    if (rules.skipChanged() && !Events.base(index).equals(Events.base(sweep.base()))) {
      return null;
    }
    Entry base = rules.baseBeforeLook() ? sweep.base() : index;
    boolean live = base != null && !base.deleted();
    Store.Stored found = sweep.found();
    if (found != null) {
      return live && found.version().equals(base.version()) ? null : Events.found(found, base);
    }
    boolean gone = !rules.pointRead() || now.record() == null;
    return live && gone ? Events.missed(base) : null;
  }

  /** An ad-hoc snapshot reads again what changed meanwhile, and what the scan did not show. */
  private ChangeEvent everything(Store now) {
    boolean changed = !Events.base(index).equals(Events.base(sweep.base()));
    Store.Stored found = changed ? now.record() : sweep.found();
    if (found == null && index != null) {
      found = now.record();
    }
    if (found != null) {
      return Events.forced(Events.found(found, index));
    }
    return index == null ? null : Events.forced(Events.missed(index));
  }
}
