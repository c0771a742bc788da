package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.connect.kvstore.source.index.IndexRow;
import io.indexview.connect.kvstore.source.index.SourceIndex;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One look at a record set: first at every record of the store, then at every key that the index
 * holds and the store did not show. Works in slices, so that the index goes on folding in between;
 * what it folds meanwhile is told with {@link #touched}. Remembers two bits per key. For one
 * thread.
 *
 * <p>The base of an observation is what the index held before the look: a row that nothing touched
 * since the sweep began still is what it was then, and a touched one is skipped, or in a resnapshot
 * looked at once more.
 */
final class Sweep implements AutoCloseable {
  private static final int INDEX_SLICE = 500;

  private final SweepPlan plan;
  private final KvStore store;
  private final SourceIndex index;
  private final Duration markerRetention;
  private final BitSet seen = new BitSet();
  private final BitSet touched = new BitSet();
  private KvIterator<KvRecord> scan;
  private byte[] lastIndexKey;
  private boolean scanned;
  private long records;
  private long tableRows;
  private long largeObjects;

  /**
   * What a sweep is to do.
   *
   * @param incarnation of the store
   * @param force publish every record
   * @param first no sweep was completed before
   * @param concurrency partitions of the store to read at once
   * @param startedAt ms since the epoch
   */
  record SweepPlan(
      RecordSetConfig recordSet,
      String incarnation,
      boolean force,
      boolean first,
      int concurrency,
      long startedAt) {}

  Sweep(SweepPlan plan, KvStore store, SourceIndex index, Duration markerRetention) {
    this.plan = plan;
    this.store = store;
    this.index = index;
    this.markerRetention = markerRetention;
  }

  SweepPlan plan() {
    return plan;
  }

  /** Primary records seen so far. */
  long records() {
    return records;
  }

  /** Rows of the store's tables among the keys, passed over so far. */
  long tableRows() {
    return tableRows;
  }

  /** Large objects among the keys, passed over so far. */
  long largeObjects() {
    return largeObjects;
  }

  /** The index changed a row since the sweep began. */
  void touched(int id) {
    touched.set(id);
  }

  /**
   * Goes on for one slice.
   *
   * @param budget how many records of the store, or rows of the index, to look at
   * @return whether the sweep is over
   */
  boolean advance(int budget, Consumer<Observation> differences) {
    return scanned ? lookForMissing(differences) : scan(budget, differences);
  }

  private boolean scan(int budget, Consumer<Observation> differences) {
    if (scan == null) {
      scan =
          store.storeIterator(
              KvScan.under(plan.recordSet().prefix()).withConcurrency(plan.concurrency()));
    }
    for (int i = 0; i < budget; i++) {
      if (!scan.hasNext()) {
        close();
        scanned = true;
        return false;
      }
      KvRecord record = scan.next();
      if (plan.recordSet().contains(record)) {
        records++;
        found(record, differences);
      } else {
        passedOver(record);
      }
    }
    return false;
  }

  private void passedOver(KvRecord record) {
    if (record.tableRow()) {
      tableRows++;
    } else if (record.key().isLob()) {
      largeObjects++;
    }
  }

  private void found(KvRecord record, Consumer<Observation> differences) {
    String key = record.key().toString();
    Optional<IndexRow> row = index.row(key.getBytes(StandardCharsets.UTF_8));
    if (row.isEmpty()) {
      differences.accept(alive(key, record, Origin.Base.ABSENT, null));
      return;
    }
    seen.set(row.get().id());
    if (!touched.get(row.get().id())) {
      compare(key, record, row.get().entry(), differences);
    } else if (plan.force()) {
      lookAgain(key, record.key(), row.get().entry(), differences);
    }
  }

  private void lookAgain(
      String key, KvKey storeKey, Entry entry, Consumer<Observation> differences) {
    look(storeKey)
        .ifPresentOrElse(
            record -> compare(key, record, entry, differences),
            () -> {
              if (!entry.deleted()) {
                differences.accept(gone(key, entry));
              }
            });
  }

  private void compare(
      String key, KvRecord record, Entry entry, Consumer<Observation> differences) {
    boolean same = !entry.deleted() && version(record.version()).equals(entry.version());
    if (!same || plan.force()) {
      differences.accept(
          alive(key, record, Origin.Base.of(entry.version(), entry.deleted()), entry));
    }
  }

  private boolean lookForMissing(Consumer<Observation> differences) {
    List<IndexRow> rows = index.rowsAfter(lastIndexKey, INDEX_SLICE);
    for (IndexRow row : rows) {
      lastIndexKey = row.key();
      if (seen.get(row.id()) || touched.get(row.id())) {
        continue;
      }
      if (row.entry().deleted()) {
        forgetExpired(row);
      } else {
        missing(row, differences);
      }
    }
    return rows.isEmpty();
  }

  private void forgetExpired(IndexRow row) {
    if (row.entry().timestampMs() < plan.startedAt() - markerRetention.toMillis()) {
      index.change(batch -> batch.remove(row));
    }
  }

  private void missing(IndexRow row, Consumer<Observation> differences) {
    String key = new String(row.key(), StandardCharsets.UTF_8);
    Optional<KvKey> storeKey = ownKey(key);
    if (storeKey.isEmpty()) {
      return;
    }
    Optional<KvRecord> record = look(storeKey.get());
    if (record.isPresent()) {
      records++;
      compare(key, record.get(), row.entry(), differences);
    } else {
      differences.accept(gone(key, row.entry()));
    }
  }

  /** A record that became a row of a table is no primary record any more. */
  private Optional<KvRecord> look(KvKey key) {
    return store.get(key).filter(plan.recordSet()::contains);
  }

  /** The topic may hold keys of other producers, which are not this source's to judge. */
  private Optional<KvKey> ownKey(String text) {
    try {
      return Optional.of(KvKey.fromString(text))
          .filter(key -> plan.recordSet().contains(key) && key.toString().equals(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Observation alive(String key, KvRecord record, Origin.Base base, Entry entry) {
    SourceVersion version = version(record.version());
    Op op = Op.READ;
    if (!plan.force() && !plan.first()) {
      op = entry == null || entry.deleted() ? Op.CREATE : Op.UPDATE;
    }
    return new Observation(
        key,
        op,
        new Origin.Observed(version.epoch(), version.sequence(), base, plan.force()),
        record);
  }

  /** Carries the version that was removed; an entry without one keeps having none. */
  private Observation gone(String key, Entry entry) {
    SourceVersion removed = entry.version();
    Origin.Base base = Origin.Base.of(removed, false);
    return new Observation(
        key,
        Op.DELETE,
        removed == null
            ? new Origin.Observed(plan.incarnation(), null, base, plan.force())
            : new Origin.Observed(removed.epoch(), removed.sequence(), base, plan.force()),
        null);
  }

  private SourceVersion version(KvVersion version) {
    return new SourceVersion(version.epoch(plan.incarnation()), version.vlsnBytes());
  }

  @Override
  public void close() {
    if (scan != null) {
      scan.close();
      scan = null;
    }
  }
}
