package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import java.util.ArrayList;
import java.util.List;

/**
 * One key, the events of it that are on their way, and what the app and the sweeping source made of
 * those that arrived.
 *
 * @param sent may still arrive; one that never does is lost
 */
record World(Store store, List<Message> sent, Entry app, Sweeper sweeper, Past past) {
  static final World EMPTY =
      new World(Store.EMPTY, List.of(), null, Sweeper.IDLE, new Past(0, true, false));

  /** An event and how often it may still arrive. */
  record Message(ChangeEvent event, int arrivals, boolean arrived) {
    boolean isOwed() {
      return Events.isTold(event) && !arrived;
    }
  }

  /**
   * What cannot be seen any more.
   *
   * @param removed highest sequence in shard A whose removal the app was told of
   * @param ordered nothing was observed, and each event came first when all told before it had
   * @param lossy a told event can never arrive any more
   */
  record Past(int removed, boolean ordered, boolean lossy) {}

  boolean isConverged() {
    return store.record() == null
        ? app == null || app.deleted()
        : app != null && !app.deleted() && app.value().schemaId() == store.record().value();
  }

  /**
   * All told events arrived, and their order was told: by versions of one epoch or, across epochs,
   * by their first arrival. (What was observed in another epoch only the next look puts right.)
   */
  boolean isFullyTold() {
    return !past.lossy()
        && (past.ordered() || store.inOneEpoch())
        && sweeper.sweep() == null
        && sent.stream().noneMatch(Message::isOwed);
  }

  /** The app has a record back whose removal it was told. */
  boolean isResurrected() {
    return store.inOneEpoch()
        && app != null
        && !app.deleted()
        && app.version().sequence()[0] <= past.removed();
  }

  World put(int arrivals) {
    Store next = store.put();
    return with(next, sweeper).send(Events.put(next.record()), arrivals);
  }

  World delete(int arrivals) {
    return with(store.delete(), sweeper).send(Events.delete(store.record()), arrivals);
  }

  World migrate(boolean anew) {
    return with(anew ? store.migrateAnew() : store.migrate(), sweeper.moved());
  }

  World arrive(int position, Rules rules) {
    Message message = sent.get(position);
    List<Message> rest = new ArrayList<>(sent);
    if (message.arrivals() == 1) {
      rest.remove(position);
    } else {
      rest.set(position, new Message(message.event(), message.arrivals() - 1, true));
    }
    boolean early =
        !message.arrived() && sent.subList(0, position).stream().anyMatch(Message::isOwed);
    World taken = new World(store, rest, app, sweeper, past);
    return taken.append(message.event(), early, rules);
  }

  /** The retention of tombstones passes: what writers sent before does not arrive any more. */
  World expire() {
    List<Message> rest = sent.stream().filter(one -> !Events.isTold(one.event())).toList();
    return new World(
        store, rest, Events.aged(app), sweeper.expire(), new Past(0, past.ordered(), true));
  }

  static boolean isExpired(Entry entry) {
    return entry != null && entry.deleted() && entry.timestampMs() < 0;
  }

  World appForgets() {
    return new World(store, sent, null, sweeper, past);
  }

  World indexForgets() {
    return with(store, sweeper.forget());
  }

  /** What was sent before it is not judged by an index that knows nothing of it. */
  World loseIndex() {
    Past rest = new Past(past.removed(), past.ordered(), true);
    return new World(store, List.of(), app, sweeper.loseIndex(), rest);
  }

  World beginSweep() {
    return with(store, sweeper.begin());
  }

  World look() {
    return with(store, sweeper.look(store.record()));
  }

  World lookAndMiss() {
    return with(store, sweeper.look(null));
  }

  World indexReads(Rules rules) {
    return with(store, sweeper.catchUp(rules));
  }

  /**
   * Ends the sweep; what it has to tell is sent, and may be late, or arrives at once. Only then it
   * is complete, and what a sweep without an index did not name is gone.
   */
  World endSweep(boolean late, Rules rules) {
    ChangeEvent difference = sweeper.difference(rules, store);
    boolean unnamed = sweeper.lost() && difference == null && sweeper.unread().isEmpty();
    World ended = with(store, late ? sweeper.end(rules) : sweeper.complete(rules));
    if (difference != null) {
      return late ? ended.send(difference, 1) : ended.append(difference, false, rules);
    }
    return unnamed && !late && app != null && !app.deleted() ? ended.purge() : ended;
  }

  private World purge() {
    Entry gone = Rules.at(OrderGuard.inferredTombstone(app, 0), 0);
    return new World(store, sent, gone, sweeper, past);
  }

  World abortSweep(Rules rules) {
    return with(store, sweeper.end(rules));
  }

  private World append(ChangeEvent event, boolean early, Rules rules) {
    int removed = past.removed();
    if (Events.isDelete(event) && event.origin() instanceof Origin.Told told) {
      removed = Math.max(removed, told.version().sequence()[0]);
    }
    boolean ordered = past.ordered() && !early && Events.isTold(event);
    return new World(
        store,
        sent,
        rules.fold(app, event),
        sweeper.receive(event, rules),
        new Past(removed, ordered, past.lossy()));
  }

  private World send(ChangeEvent event, int arrivals) {
    List<Message> more = new ArrayList<>(sent);
    more.add(new Message(event, arrivals, false));
    return new World(store, more, app, sweeper, past);
  }

  private World with(Store nextStore, Sweeper nextSweeper) {
    return new World(nextStore, sent, app, nextSweeper, past);
  }
}
