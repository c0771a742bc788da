package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.index.FoldedIndex;
import io.indexview.connect.common.index.IndexRow;
import io.indexview.connect.kvstore.config.RecordSetConfig;
import io.indexview.connect.kvstore.source.KeyStretch.Scan;
import io.indexview.connect.kvstore.source.index.SweepPosition;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One look at a record set, one stretch of keys after the other. Of each stretch the index rows are
 * read, then its records in the store, and at last every row's key that the store did not show.
 * Works in slices, so that the index goes on folding in between. For one thread.
 *
 * <p>The base of an observation is the row as it was read before the look; it is sent only if the
 * row still is the same, or in a resnapshot after one more look.
 *
 * <p>An ad-hoc snapshot puts app and index in step again, whatever either knew before: an event
 * with the base of the index is applied by both, if nothing else came for its key in between. Where
 * something did, and where an event made a new row behind the scan, the key is looked at again.
 *
 * <p>Memory holds {@link SweepPlan#stretchRows} index rows without their values, some 300 bytes
 * each, what the store's iterators fetch ahead, and the keys to look at again: it does not grow
 * with the store. A row that lies elsewhere in the store's order than in the index's is looked up
 * singly, which is slower.
 */
final class Sweep implements AutoCloseable {
  private final SweepPlan plan;
  private final KvStore store;
  private final FoldedIndex<?> index;
  private final OrderGuard guard;
  private final ReadPace pace;
  private final Map<String, IndexRow> unseen = new LinkedHashMap<>();
  private final Set<String> again = new LinkedHashSet<>();
  private boolean readsAgain;
  private boolean scanned;
  private SweepPosition position;
  private SweepPosition stretchEnd;
  private Queue<Scan> scans = new ArrayDeque<>();
  private KvIterator<KvRecord> scan;
  private long records;
  private long tableRows;
  private long largeObjects;
  private String wentBack;

  /**
   * What a sweep is to do.
   *
   * @param incarnation of the store
   * @param force publish every record
   * @param first no sweep was completed before
   * @param concurrency partitions of the store to read at once
   * @param fetchSize records that the store sends at a time
   * @param stretchRows index rows to hold at a time
   * @param startedAt ms since the epoch
   */
  record SweepPlan(
      RecordSetConfig recordSet,
      String incarnation,
      boolean force,
      boolean first,
      int concurrency,
      int fetchSize,
      int stretchRows,
      long startedAt) {}

  /**
   * @param index holds all that the topic held when the sweep started
   * @param guard that the index is folded with
   * @param from what was looked at before
   */
  Sweep(
      SweepPlan plan,
      KvStore store,
      FoldedIndex<?> index,
      OrderGuard guard,
      ReadPace pace,
      SweepPosition from) {
    this.plan = plan;
    this.store = store;
    this.index = index;
    this.guard = guard;
    this.pace = pace;
    this.position = from;
    this.records = from.records();
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

  /** Index rows that are in memory now. */
  int heldRows() {
    return unseen.size();
  }

  /**
   * The first record of an older version than the index knows, for people; empty: there is none.
   */
  Optional<String> wentBack() {
    return Optional.ofNullable(wentBack);
  }

  /** Of an ad-hoc snapshot: whether keys are to be looked at once more. */
  boolean hasToLookAgain() {
    return !again.isEmpty();
  }

  /** The index folds an event. */
  void folds(byte[] key, Entry before, ChangeEvent event) {
    if (plan.force() && !isInStep(key, before, event)) {
      ownKey(new String(key, StandardCharsets.UTF_8)).ifPresent(own -> again.add(own.toString()));
    }
  }

  /**
   * Whether app and index make the same of an event. A read: if nothing came for its key in
   * between, or a newer value of the same shard, which both take. Any other event: if its row will
   * be read, or was.
   */
  private boolean isInStep(byte[] key, Entry before, ChangeEvent event) {
    if (!(event.origin() instanceof Origin.Observed read) || !read.force()) {
      return before != null || scanned || !isBehind(key);
    }
    if (read.base().equals(base(before))) {
      return true;
    }
    SourceVersion found = read.version();
    SourceVersion known = before == null || before.deleted() ? null : before.version();
    return known != null
        && found != null
        && found.epoch().equals(known.epoch())
        && SourceVersion.compareSequences(known.sequence(), found.sequence()) > 0;
  }

  /** Whether the index's rows were read beyond a key, so that a row that is made now is missed. */
  private boolean isBehind(byte[] key) {
    SweepPosition read = stretchEnd == null ? position : stretchEnd;
    return read.complete()
        || (read.indexKey() != null && Arrays.compareUnsigned(key, read.indexKey()) <= 0);
  }

  /**
   * The index has what the topic held when everything had been scanned. What comes later is as if
   * it came after the sweep.
   */
  void scanned() {
    scanned = true;
  }

  private static Origin.Base base(Entry entry) {
    return entry == null ? Origin.Base.ABSENT : Origin.Base.of(entry.version(), entry.deleted());
  }

  /** Up to here every key was looked at, and every difference was handed over. */
  SweepPosition position() {
    return position;
  }

  /**
   * Goes on for one slice.
   *
   * @param budget how many records of the store, or rows of the index, to look at
   * @param nowMs ms since the epoch
   * @return whether the sweep is over
   */
  boolean advance(int budget, long nowMs, Consumer<Observation> differences) {
    pace.tick(nowMs);
    readsAgain = !again.isEmpty() && (!readsAgain || position.complete());
    if (readsAgain) {
      lookAgain(budget, differences);
    } else if (position.complete()) {
      return true;
    } else if (stretchEnd == null) {
      beginStretch();
    } else if (scan != null || !scans.isEmpty()) {
      scan(budget, differences);
    } else {
      lookForUnseen(budget, differences);
      if (unseen.isEmpty()) {
        return endStretch();
      }
    }
    return false;
  }

  private void beginStretch() {
    List<IndexRow> rows = index.rowsAfter(position.indexKey(), plan.stretchRows());
    KvKey upTo = position.covered();
    for (IndexRow row : rows) {
      String key = text(row);
      Optional<KvKey> own = ownKey(key);
      if (own.isPresent()) {
        unseen.put(key, row);
        KvKey major = own.get().majorKey();
        upTo = upTo == null || upTo.compareTo(major) < 0 ? major : upTo;
      } else if (row.entry().deleted()) {
        forgetExpired(row);
      }
    }
    boolean last = rows.size() < plan.stretchRows();
    byte[] indexKey = rows.isEmpty() ? position.indexKey() : rows.get(rows.size() - 1).key();
    stretchEnd = new SweepPosition(last ? null : upTo, indexKey, 0, last);
    KvKey prefix = plan.recordSet().prefix();
    if (last || (upTo != null && !upTo.equals(position.covered()))) {
      scans = new KeyStretch(prefix, position.covered(), last ? null : upTo).scans();
    }
  }

  private boolean endStretch() {
    position =
        new SweepPosition(
            stretchEnd.covered(), stretchEnd.indexKey(), records, stretchEnd.complete());
    stretchEnd = null;
    return position.complete();
  }

  private void scan(int budget, Consumer<Observation> differences) {
    if (scan == null) {
      scan = scans.remove().open(store, plan.concurrency(), plan.fetchSize());
    }
    for (int i = 0; i < budget && pace.allows(); i++) {
      if (!scan.hasNext()) {
        close();
        return;
      }
      KvRecord record = scan.next();
      pace.read(record.value().length);
      if (plan.recordSet().contains(record)) {
        found(record, differences);
      } else {
        passedOver(record);
      }
    }
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
    IndexRow row = unseen.remove(key);
    if (row != null) {
      records++;
      compare(key, record, row, differences);
      return;
    }
    if (isCovered(record.key())) {
      return;
    }
    Optional<Entry> now = index.entry(key.getBytes(StandardCharsets.UTF_8));
    if (now.isEmpty()) {
      records++;
      differences.accept(alive(key, record, Origin.Base.ABSENT, null));
    } else if (plan.force()) {
      lookAgain(key, now.get(), differences);
    }
    // Else the row is new since the stretch began, or of another stretch, which looks at it.
  }

  /** Whether the scans of stretches before showed the key, if it has a record. */
  private boolean isCovered(KvKey key) {
    return position.covered() != null && position.covered().compareTo(key.majorKey()) >= 0;
  }

  private void compare(
      String key, KvRecord record, IndexRow row, Consumer<Observation> differences) {
    noteIfOlder(key, version(record.version()), row.entry().version());
    if (plan.force() || isDifferent(record, row.entry())) {
      tell(key, row, alive(key, record, row.entry()), differences);
    }
  }

  private void noteIfOlder(String key, SourceVersion found, SourceVersion known) {
    if (wentBack == null
        && known != null
        && known.epoch().equals(found.epoch())
        && SourceVersion.compareSequences(found.sequence(), known.sequence()) < 0) {
      wentBack = "key %s: %s after %s".formatted(key, found, known);
    }
  }

  private boolean isDifferent(KvRecord record, Entry entry) {
    return entry.deleted() || !version(record.version()).equals(entry.version());
  }

  /** Hands an observation over, unless the index moved on since its base was read. */
  private void tell(
      String key, IndexRow row, Observation difference, Consumer<Observation> differences) {
    Optional<Entry> now = index.entry(row.key());
    if (now.isPresent() && now.get().equals(row.entry())) {
      differences.accept(difference);
    } else if (plan.force() && now.isPresent()) {
      lookAgain(key, now.get(), differences);
    }
  }

  private void lookAgain(String key, Entry base, Consumer<Observation> differences) {
    Optional<KvRecord> record = look(KvKey.fromString(key));
    differences.accept(record.isPresent() ? alive(key, record.get(), base) : gone(key, base));
  }

  private void lookAgain(int budget, Consumer<Observation> differences) {
    Iterator<String> keys = again.iterator();
    for (int i = 0; i < budget && keys.hasNext() && pace.allows(); i++) {
      String key = keys.next();
      Optional<Entry> known = index.entry(key.getBytes(StandardCharsets.UTF_8));
      if (known.isPresent()) {
        lookAgain(key, known.get(), differences);
      } else {
        look(KvKey.fromString(key))
            .ifPresent(record -> differences.accept(alive(key, record, Origin.Base.ABSENT, null)));
      }
      keys.remove();
    }
  }

  private void lookForUnseen(int budget, Consumer<Observation> differences) {
    Iterator<Map.Entry<String, IndexRow>> rows = unseen.entrySet().iterator();
    for (int i = 0; i < budget && rows.hasNext() && pace.allows(); i++) {
      Map.Entry<String, IndexRow> row = rows.next();
      unseen(row.getKey(), row.getValue(), differences);
      rows.remove();
    }
  }

  private void unseen(String key, IndexRow row, Consumer<Observation> differences) {
    KvKey storeKey = KvKey.fromString(key);
    if (row.entry().deleted() && !isCovered(storeKey) && !plan.force()) {
      forgetExpired(row);
      return;
    }
    Optional<KvRecord> record = look(storeKey);
    if (record.isPresent()) {
      records++;
      compare(key, record.get(), row, differences);
    } else if (!row.entry().deleted() || (plan.force() && !isRemovable(row.entry()))) {
      tell(key, row, gone(key, row.entry()), differences);
    } else {
      forgetExpired(row);
    }
  }

  private boolean isRemovable(Entry entry) {
    return guard.isRemovable(entry, plan.startedAt());
  }

  private void forgetExpired(IndexRow row) {
    if (isRemovable(row.entry())
        && index.entry(row.key()).filter(row.entry()::equals).isPresent()) {
      index.change(batch -> batch.remove(row.key()));
    }
  }

  /** A record that became a row of a table is no primary record any more. */
  private Optional<KvRecord> look(KvKey key) {
    Optional<KvRecord> record = store.get(key);
    pace.read(record.map(found -> found.value().length).orElse(0));
    return record.filter(plan.recordSet()::contains);
  }

  private static String text(IndexRow row) {
    return new String(row.key(), StandardCharsets.UTF_8);
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

  private Observation alive(String key, KvRecord record, Entry base) {
    return alive(key, record, base(base), base);
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
    Origin.Base base = Origin.Base.of(removed, entry.deleted());
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

  /** Stops the scan in progress; the sweep goes on with the next. */
  @Override
  public void close() {
    if (scan != null) {
      scan.close();
      scan = null;
    }
  }
}
