package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;

/** The events of the simulated key; a value is told by its schema id. */
final class Events {
  /** More than a retention; what comes now comes at time 0. */
  private static final long RETENTION_PASSES = Rules.RETENTION.plusDays(2).toMillis();

  private Events() {}

  static ChangeEvent put(Store.Stored written) {
    return event(new Origin.Versioned(written.version()), written);
  }

  static ChangeEvent delete(Store.Stored removed) {
    return event(new Origin.Versioned(removed.version()), null);
  }

  static ChangeEvent found(Store.Stored found, Entry base) {
    return event(
        observed(found.version(), base, !found.decodable()), found.decodable() ? found : null);
  }

  /** A delete found by looking carries the version of the value that it removed. */
  static ChangeEvent missed(Entry base) {
    return event(observed(base.version(), base, false), null);
  }

  static Origin.Base base(Entry entry) {
    return entry == null ? Origin.Base.ABSENT : Origin.Base.of(entry.version(), entry.deleted());
  }

  static boolean isPublished(ChangeEvent event) {
    return event.origin() instanceof Origin.Versioned;
  }

  static boolean isAdHoc(ChangeEvent event) {
    return event.origin() instanceof Origin.SnapshotRead seen && seen.adHoc();
  }

  static boolean isDelete(ChangeEvent event) {
    return event.op() == Op.DELETE;
  }

  /** The same event, which came more than a retention earlier. */
  static ChangeEvent aged(ChangeEvent event) {
    return new ChangeEvent(
        event.op(), event.timestampMs() - RETENTION_PASSES, event.origin(), event.value());
  }

  /** The same entry, of an event that came more than a retention earlier. */
  static Entry aged(Entry entry) {
    return entry != null && entry.deleted()
        ? Rules.at(entry, entry.timestampMs() - RETENTION_PASSES)
        : entry;
  }

  /** The same, published by an ad-hoc snapshot. */
  static ChangeEvent adHoc(ChangeEvent event) {
    Origin.SnapshotRead seen = (Origin.SnapshotRead) event.origin();
    return new ChangeEvent(
        event.op(),
        event.timestampMs(),
        new Origin.SnapshotRead(
            seen.epoch(), seen.sequence(), seen.base(), true, seen.unreadable()),
        event.value());
  }

  private static Origin observed(SourceVersion version, Entry base, boolean unreadable) {
    return new Origin.SnapshotRead(
        version.epoch(), version.sequence(), base(base), false, unreadable);
  }

  private static ChangeEvent event(Origin origin, Store.Stored record) {
    return record == null
        ? new ChangeEvent(Op.DELETE, 0, origin, null)
        : new ChangeEvent(Op.UPDATE, 0, origin, new FramedValue(record.value(), new byte[0], 0, 0));
  }
}
