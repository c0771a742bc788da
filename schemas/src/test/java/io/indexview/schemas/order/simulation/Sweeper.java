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
 */
record Sweeper(Entry index, List<ChangeEvent> unread, Sweep sweep) {
  static final Sweeper IDLE = new Sweeper(null, List.of(), null);

  /**
   * @param base the index entry when the sweep began
   * @param moved the key changed shards since then: a scan may miss it
   */
  record Sweep(Entry base, boolean moved, boolean looked, Store.Stored found) {}

  Sweeper begin() {
    return new Sweeper(index, unread, new Sweep(index, false, false, null));
  }

  Sweeper moved() {
    return sweep == null || sweep.looked()
        ? this
        : new Sweeper(index, unread, new Sweep(sweep.base(), true, false, null));
  }

  Sweeper look(Store.Stored found) {
    return new Sweeper(index, unread, new Sweep(sweep.base(), sweep.moved(), true, found));
  }

  Sweeper receive(ChangeEvent event, Rules rules) {
    if (sweep == null) {
      return new Sweeper(rules.fold(index, event), unread, null);
    }
    List<ChangeEvent> waiting = new ArrayList<>(unread);
    waiting.add(event);
    return new Sweeper(index, waiting, sweep);
  }

  Sweeper catchUp(Rules rules) {
    Entry read = index;
    for (ChangeEvent event : unread) {
      read = rules.fold(read, event);
    }
    return new Sweeper(read, List.of(), sweep);
  }

  Sweeper end(Rules rules) {
    return new Sweeper(catchUp(rules).index(), List.of(), null);
  }

  Sweeper forget() {
    return new Sweeper(null, unread, sweep);
  }

  /**
   * What the sweep has to tell; null if nothing.
   *
   * @param now the store when it is told
   */
  ChangeEvent difference(Rules rules, Store now) {
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
}
