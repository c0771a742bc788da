package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * One key, the events of it that are on their way, and what the app and the scanning source made of
 * those that arrived.
 *
 * @param sent may still arrive; one that never does is lost
 * @param unnamed an ad-hoc snapshot did not name what the app has, and the clean-up is yet to come
 */
record SimulationState(
    Store store, List<Message> sent, Entry app, StoreScanner scanner, Past past, boolean unnamed) {
  static final SimulationState EMPTY =
      new SimulationState(
          Store.EMPTY,
          List.of(),
          null,
          StoreScanner.IDLE,
          new Past(0, 0, false, true, false),
          false);

  /** An event and how often it may still arrive. */
  record Message(ChangeEvent event, int arrivals, boolean arrived) {
    boolean isOwed() {
      return Events.isPublished(event) && !arrived;
    }
  }

  /**
   * What cannot be seen any more.
   *
   * @param removed highest sequence in shard A whose removal an event named
   * @param seen highest sequence in shard A that the app took and has no reason to forget
   * @param wentBack a change event counted though the app had taken a later one of its shard
   * @param ordered nothing was observed, and each event came first when all before it had
   * @param lossy a change event can never arrive any more
   */
  record Past(int removed, int seen, boolean wentBack, boolean ordered, boolean lossy) {
    Past withLoss() {
      return new Past(removed, seen, wentBack, ordered, true);
    }

    Past forgetful() {
      return new Past(removed, 0, wentBack, ordered, lossy);
    }

    /** The app took an event; whether it remembers what it took before. */
    Past taken(ChangeEvent event, boolean remembers) {
      int sequence = sequenceInA(event);
      int before = remembers ? seen : 0;
      boolean isBack = Events.isPublished(event) && sequence > 0 && sequence < before;
      int now = sequence == 0 || Events.isPublished(event) ? Math.max(before, sequence) : sequence;
      return new Past(removed, now, wentBack || isBack, ordered, lossy);
    }

    private static int sequenceInA(ChangeEvent event) {
      SourceVersion version =
          event.origin() instanceof Origin.Versioned published
              ? published.version()
              : ((Origin.SnapshotRead) event.origin()).version();
      return version.epoch().equals("A") ? version.sequence()[0] : 0;
    }
  }

  /** Or what the app lacks cannot be decoded, and it says so. */
  boolean isConverged() {
    return isExact() && !isMarked() || isMarked() && isUndecodable();
  }

  private boolean isMarked() {
    return app != null && app.unreadable();
  }

  /** The app has passed an event over, and says so. */
  boolean isPassedOver() {
    return isMarked() && !app.inferred();
  }

  private boolean isUndecodable() {
    return store.record() != null && !store.record().decodable();
  }

  /** No change event carries the version that the record has. */
  boolean isUnpublished() {
    return store.record() != null && !store.record().published();
  }

  boolean isExact() {
    FramedValue value = app == null ? null : app.value();
    return store.record() == null
        ? app == null || app.deleted() && value == null
        : value != null && !app.deleted() && value.schemaId() == store.record().value();
  }

  /**
   * All change events arrived, and their order was known: by versions of one epoch or, across
   * epochs, by their first arrival. (What was observed in another epoch only the next scan puts
   * right.)
   */
  boolean isFullyPublished() {
    return !past.lossy()
        && (past.ordered() || store.inOneEpoch())
        && scanner.scan() == null
        && sent.stream().noneMatch(Message::isOwed);
  }

  /** The app has a record back whose removal an event named. */
  boolean isResurrected() {
    return store.inOneEpoch()
        && app != null
        && !app.deleted()
        && !isMarked()
        && app.version().sequence()[0] <= past.removed();
  }

  /** Whatever an event tells, the app took a later one. */
  boolean wentBack() {
    return past.wentBack();
  }

  SimulationState put(boolean decodable, int arrivals) {
    Store next = store.put(decodable);
    return with(next, scanner).send(Events.put(next.record()), arrivals);
  }

  SimulationState delete(int arrivals) {
    return with(store.delete(), scanner).send(Events.delete(store.record()), arrivals);
  }

  SimulationState migrate(boolean anew) {
    return with(anew ? store.migrateAnew() : store.migrate(), scanner.moved());
  }

  SimulationState arrive(int position, Rules rules) {
    return arrive(position, rules::materialize, rules);
  }

  /** The source's index takes an event in, and the app does not. */
  SimulationState arriveAndPassOver(int position, Rules rules) {
    return arrive(position, rules::passOver, rules);
  }

  private SimulationState arrive(
      int position, BiFunction<Entry, ChangeEvent, Entry> materialize, Rules rules) {
    Message message = sent.get(position);
    List<Message> rest = new ArrayList<>(sent);
    if (message.arrivals() == 1) {
      rest.remove(position);
    } else {
      rest.set(position, new Message(message.event(), message.arrivals() - 1, true));
    }
    boolean early =
        !message.arrived() && sent.subList(0, position).stream().anyMatch(Message::isOwed);
    SimulationState taken = new SimulationState(store, rest, app, scanner, past, unnamed);
    return taken.append(message.event(), early, materialize, rules);
  }

  /** The retention of tombstones passes: what writers sent before does not arrive any more. */
  SimulationState expire() {
    List<Message> rest = sent.stream().filter(one -> !Events.isPublished(one.event())).toList();
    return new SimulationState(
        store,
        rest,
        Events.aged(app),
        scanner.expire(),
        new Past(0, 0, past.wentBack(), past.ordered(), true),
        unnamed);
  }

  static boolean isExpired(Entry entry) {
    return entry != null && entry.deleted() && !entry.unreadable() && entry.timestampMs() < 0;
  }

  SimulationState appForgets() {
    return new SimulationState(store, sent, null, scanner, past, false);
  }

  SimulationState indexForgets() {
    return with(store, scanner.forget());
  }

  /**
   * What was sent before it does not arrive any more: a topic is kept for longer than events may be
   * late.
   */
  SimulationState loseIndex() {
    return new SimulationState(
        store, List.of(), app, scanner.loseIndex(), past.withLoss(), unnamed);
  }

  SimulationState beginScan() {
    return with(store, scanner.begin());
  }

  SimulationState scan() {
    return with(store, scanner.scan(store.record()));
  }

  SimulationState scanAndMiss() {
    return with(store, scanner.scan(null));
  }

  SimulationState indexReads(Rules rules) {
    return with(store, scanner.catchUp(rules));
  }

  /**
   * Ends the scan; what it has to tell is sent, and may be late, or arrives at once. Only then it
   * is complete, and what a scan without an index did not name is gone.
   */
  SimulationState endScan(boolean late, Rules rules) {
    ChangeEvent difference = scanner.difference(rules, store);
    if (late) {
      SimulationState ended = with(store, scanner.end(rules));
      return difference == null ? ended : ended.send(difference, 1);
    }
    boolean again = scanner.isOutOfStep(difference, rules);
    SimulationState ended = with(store, again ? scanner.end(rules) : scanner.complete(rules));
    SimulationState published =
        difference == null ? ended : ended.append(difference, false, rules::materialize, rules);
    boolean named = scanner.scan().touched() || published.app != app || isNaming(difference);
    if (again) {
      return published.with(store, published.scanner.again(named));
    }
    return scanner.lost() && !named && app != null && (!app.deleted() || isMarked())
        ? new SimulationState(
            published.store, published.sent, published.app, published.scanner, published.past, true)
        : published;
  }

  /** A record that an ad-hoc snapshot publishes is named, also if the app knows better. */
  private static boolean isNaming(ChangeEvent event) {
    return event != null && Events.isAdHoc(event) && !Events.isDelete(event);
  }

  SimulationState cleanUp() {
    return unnamed
        ? new SimulationState(store, sent, gone(), scanner, past.forgetful(), false)
        : this;
  }

  private Entry gone() {
    Entry read = app.readable();
    return read.deleted() && read.value() == null
        ? read
        : Rules.at(OrderGuard.inferredTombstone(read, 0), 0);
  }

  SimulationState abortScan(Rules rules) {
    return with(store, scanner.end(rules));
  }

  private SimulationState append(
      ChangeEvent event,
      boolean early,
      BiFunction<Entry, ChangeEvent, Entry> materialize,
      Rules rules) {
    int removed = past.removed();
    if (Events.isDelete(event) && event.origin() instanceof Origin.Versioned published) {
      removed = Math.max(removed, published.version().sequence()[0]);
    }
    boolean ordered = past.ordered() && !early && Events.isPublished(event);
    Entry known = unnamed && rules.unnamedIsGone() ? gone() : app;
    Entry next = materialize.apply(known, event);
    boolean touched = next != known;
    boolean isNamed = touched || isNaming(event);
    Past rest = new Past(removed, past.seen(), past.wentBack(), ordered, past.lossy());
    boolean remembers = known == app && !Events.isAdHoc(event);
    return new SimulationState(
        store,
        sent,
        touched ? next : app,
        isNamed ? scanner.touched().receive(event, rules) : scanner.receive(event, rules),
        touched ? rest.taken(event, remembers) : rest,
        unnamed && !touched);
  }

  private SimulationState send(ChangeEvent event, int arrivals) {
    List<Message> more = new ArrayList<>(sent);
    more.add(new Message(event, arrivals, false));
    return new SimulationState(store, more, app, scanner, past, unnamed);
  }

  private SimulationState with(Store nextStore, StoreScanner nextScanner) {
    return new SimulationState(nextStore, sent, app, nextScanner, past, unnamed);
  }
}
