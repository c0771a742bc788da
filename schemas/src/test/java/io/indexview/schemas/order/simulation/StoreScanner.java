package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * The scanning source: its index, and the scan that runs.
 *
 * @param unread arrived in the topic, but not read by the index yet; only while a scan runs, which
 *     begins with the index at the end of the topic
 * @param scan null: none runs
 * @param lost the index was begun anew over a trimmed topic: scans publish every record, until one
 *     is complete
 */
record StoreScanner(Entry index, List<ChangeEvent> unread, StoreScan scan, boolean lost) {
  static final StoreScanner IDLE = new StoreScanner(null, List.of(), null, false);

  /**
   * @param base the index entry when the scan began
   * @param moved the key changed shards since then: a scan may miss it
   * @param touched the app took an event since then
   */
  record StoreScan(
      Entry base, boolean moved, boolean scanned, boolean touched, Store.Stored found) {}

  StoreScanner begin() {
    return new StoreScanner(index, unread, new StoreScan(index, false, false, false, null), lost);
  }

  StoreScanner moved() {
    return scan == null || scan.scanned()
        ? this
        : with(new StoreScan(scan.base(), true, false, scan.touched(), null));
  }

  StoreScanner scan(Store.Stored found) {
    return with(new StoreScan(scan.base(), scan.moved(), true, scan.touched(), found));
  }

  StoreScanner touched() {
    return scan == null
        ? this
        : with(new StoreScan(scan.base(), scan.moved(), scan.scanned(), true, scan.found()));
  }

  private StoreScanner with(StoreScan next) {
    return new StoreScanner(index, unread, next, lost);
  }

  StoreScanner receive(ChangeEvent event, Rules rules) {
    if (scan == null) {
      return new StoreScanner(rules.materialize(index, event), unread, null, lost);
    }
    List<ChangeEvent> waiting = new ArrayList<>(unread);
    waiting.add(event);
    return new StoreScanner(index, waiting, scan, lost);
  }

  StoreScanner catchUp(Rules rules) {
    Entry read = index;
    for (ChangeEvent event : unread) {
      read = rules.materialize(read, event);
    }
    return new StoreScanner(read, List.of(), scan, lost);
  }

  StoreScanner end(Rules rules) {
    return new StoreScanner(catchUp(rules).index(), List.of(), null, lost);
  }

  /** The scan was complete. */
  StoreScanner complete(Rules rules) {
    return new StoreScanner(catchUp(rules).index(), List.of(), null, false);
  }

  /**
   * Whether app and index may have made different things of the events that an ad-hoc snapshot met,
   * so that the key has to be looked at again.
   *
   * @param sent by the snapshot, after those; null: nothing
   */
  boolean isOutOfStep(ChangeEvent sent, Rules rules) {
    List<ChangeEvent> events = new ArrayList<>(unread);
    if (sent != null) {
      events.add(sent);
    }
    boolean outOfStep = false;
    Entry read = index;
    for (ChangeEvent event : events) {
      outOfStep |= !isInStep(read, event);
      read = rules.materialize(read, event);
    }
    return lost && rules.readsAgain() && outOfStep;
  }

  private static boolean isInStep(Entry before, ChangeEvent event) {
    if (!(event.origin() instanceof Origin.SnapshotRead read) || !read.adHoc()) {
      return before != null;
    }
    SourceVersion known = before == null || before.deleted() ? null : before.version();
    return read.base().equals(Events.base(before))
        || known != null
            && known.epoch().equals(read.epoch())
            && SourceVersion.compareSequences(known.sequence(), read.sequence()) > 0;
  }

  /** The ad-hoc snapshot goes on. */
  StoreScanner again(boolean touched) {
    return new StoreScanner(index, unread, new StoreScan(index, false, false, touched, null), true);
  }

  /** The task dies, and its index with it; the topic holds nothing any more. */
  StoreScanner loseIndex() {
    return new StoreScanner(null, List.of(), null, true);
  }

  /** The retention of tombstones passes. */
  StoreScanner expire() {
    return new StoreScanner(
        Events.aged(index), unread.stream().map(Events::aged).toList(), scan, lost);
  }

  /** Then it forgets nothing: a scan forgets what was expired when it began, at the topic's end. */
  boolean lagsByARetention() {
    return unread.stream().anyMatch(event -> event.timestampMs() < 0);
  }

  StoreScanner forget() {
    return new StoreScanner(null, unread, scan, lost);
  }

  /**
   * What the scan has to tell; null if nothing.
   *
   * @param now the store when it is published
   */
  ChangeEvent difference(Rules rules, Store now) {
    if (lost) {
      return everything(now);
    }
    if (rules.skipChanged() && !Events.base(index).equals(Events.base(scan.base()))) {
      return null;
    }
    Entry base = rules.baseBeforeScan() ? scan.base() : index;
    boolean live = base != null && (!base.deleted() || base.unreadable());
    Store.Stored found = scan.found();
    if (found != null) {
      return isKnown(found, base) ? null : Events.found(found, base);
    }
    boolean gone = !rules.pointRead() || now.record() == null;
    return live && gone ? Events.missed(base) : null;
  }

  /** What cannot be decoded is in the dead-letter topic once it was published. */
  private static boolean isKnown(Store.Stored found, Entry base) {
    return base != null
        && found.version().equals(base.version())
        && !(base.deleted() && found.decodable());
  }

  /** An ad-hoc snapshot reads again what changed meanwhile, and what the scan did not show. */
  private ChangeEvent everything(Store now) {
    boolean changed = !Events.base(index).equals(Events.base(scan.base()));
    Store.Stored found = changed ? now.record() : scan.found();
    if (found == null && index != null) {
      found = now.record();
    }
    if (found != null) {
      return Events.adHoc(Events.found(found, index));
    }
    return index == null ? null : Events.adHoc(Events.missed(index));
  }
}
