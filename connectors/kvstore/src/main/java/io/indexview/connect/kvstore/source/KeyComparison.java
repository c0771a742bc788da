package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.util.Optional;

/**
 * What the store shows of one key, compared with what the index held before the read: the one way
 * in which scans and changes come to snapshot reads.
 *
 * @param incarnation of the store
 * @param adHoc tell every record, and what is gone, whatever the index holds
 * @param first no scan was completed before
 */
record KeyComparison(KvRecordSet recordSet, String incarnation, boolean adHoc, boolean first) {

  /**
   * The topic may hold keys of other producers, which are not this source's to judge: no paths, of
   * other records, or longer than any store takes.
   */
  static Optional<KvKey> ownKey(KvRecordSet recordSet, String text) {
    try {
      return Optional.of(KvKey.fromString(text))
          .filter(key -> recordSet.contains(key) && key.toString().equals(text));
    } catch (IllegalArgumentException | KvStoreException.Refused e) {
      return Optional.empty();
    }
  }

  /** The record as it is now, if it is one of the record set. */
  Optional<KvRecord> read(KvStore store, KvKey key) {
    return store.get(key).filter(this::isOwn);
  }

  /** A record that became a row of a table is no primary record any more. */
  boolean isOwn(KvRecord record) {
    return recordSet.contains(record);
  }

  /**
   * The difference that a read found; empty: the index has what the store shows.
   *
   * @param base what the index held before the read; null: nothing
   * @param found null: the store shows no record
   */
  Optional<SnapshotRead> compare(String key, Entry base, KvRecord found) {
    if (found == null) {
      return base == null || isGone(base) ? Optional.empty() : Optional.of(gone(key, base));
    }
    return adHoc || base == null || isDifferent(found, base)
        ? Optional.of(alive(key, found, base))
        : Optional.empty();
  }

  /** Whether the index knows that there is no record. What could not be decoded was there. */
  static boolean isGone(Entry entry) {
    return entry.deleted() && !entry.unreadable();
  }

  private boolean isDifferent(KvRecord record, Entry entry) {
    return entry.deleted() || !version(record.version()).equals(entry.version());
  }

  /**
   * Whether the store went back: it shows an older version than the index knows. For people; empty:
   * it does not.
   *
   * @param base null: the index held nothing
   */
  Optional<String> older(String key, Entry base, KvRecord record) {
    SourceVersion found = version(record.version());
    SourceVersion known = base == null ? null : base.version();
    return known != null
            && known.epoch().equals(found.epoch())
            && SourceVersion.compareSequences(found.sequence(), known.sequence()) < 0
        ? Optional.of("key %s: %s after %s".formatted(key, found, known))
        : Optional.empty();
  }

  /**
   * @param base null: the index held nothing
   */
  SnapshotRead alive(String key, KvRecord record, Entry base) {
    SourceVersion version = version(record.version());
    Op op = Op.READ;
    if (!adHoc && !first) {
      op = base == null || base.deleted() ? Op.CREATE : Op.UPDATE;
    }
    return new SnapshotRead(
        key,
        op,
        new Origin.SnapshotRead(version.epoch(), version.sequence(), base(base), adHoc),
        record);
  }

  /** Carries the version that was removed; an entry without one keeps having none. */
  SnapshotRead gone(String key, Entry base) {
    SourceVersion removed = base.version();
    return new SnapshotRead(
        key,
        Op.DELETE,
        removed == null
            ? new Origin.SnapshotRead(incarnation, null, base(base), adHoc)
            : new Origin.SnapshotRead(removed.epoch(), removed.sequence(), base(base), adHoc),
        null);
  }

  static Origin.Base base(Entry entry) {
    return entry == null ? Origin.Base.ABSENT : Origin.Base.of(entry.version(), entry.deleted());
  }

  private SourceVersion version(KvVersion version) {
    return new SourceVersion(version.epoch(incarnation), version.vlsnBytes());
  }
}
