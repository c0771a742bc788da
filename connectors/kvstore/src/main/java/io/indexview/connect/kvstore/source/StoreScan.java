package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.common.index.MaterializedIndex.IndexRow;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.source.KeyChunk.RangeRead;
import io.indexview.connect.kvstore.source.index.ScanPosition;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.ChangeEvent;
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
import java.util.function.Predicate;

/**
 * One scan of a record set, one chunk of keys after the other. Of each chunk the index rows are
 * read, then its records in the store, and at last every row's key that the store did not show.
 * Works in small steps, so that the index goes on materializing in between. For one thread.
 *
 * <p>The base of a snapshot read is the row as it was read before the scan; it is sent only if the
 * row still is the same, or in an ad-hoc snapshot after one more scan.
 *
 * <p>An ad-hoc snapshot puts app and index in step again, whatever either knew before: an event
 * with the base of the index is applied by both, if nothing else came for its key in between. Where
 * something did, and where an event made a new row behind the scan, the key is looked at again.
 *
 * <p>Memory holds {@link ScanPlan#chunkRows} index rows without their values, some 300 bytes each,
 * what the store's iterators fetch ahead, and the keys to look at again: it does not grow with the
 * store. A row that lies elsewhere in the store's order than in the index's is looked up singly,
 * which is slower.
 */
final class StoreScan implements AutoCloseable {
  private final ScanPlan plan;
  private final KvStore store;
  private final MaterializedIndex<?> index;
  private final OrderGuard guard;
  private final ReadRateLimiter rateLimiter;
  private final KeyComparison comparison;
  private final Predicate<String> passedOver;

  /** Rows of the chunk whose keys the store has not shown yet. */
  private final Map<String, IndexRow> unseen = new LinkedHashMap<>();

  private final Set<String> keysToReadAgain = new LinkedHashSet<>();
  private boolean hasAnswer;
  private boolean readsAgain;
  private boolean indexHasCaughtUp;
  private boolean leftOut;
  private ScanPosition position;

  /** Position after the chunk that is being read; null: none is. */
  private ScanPosition chunkEnd;

  /** What is still to be read of the chunk. */
  private Queue<RangeRead> chunkReads = new ArrayDeque<>();

  /** The read of the chunk that is in progress; null: none is. */
  private KvIterator<KvRecord> openRead;

  private long records;
  private long tableRows;
  private long largeObjects;
  private String wentBack;

  /**
   * What a scan is to do.
   *
   * @param incarnation of the store
   * @param adHoc publish every record
   * @param first no scan was completed before
   * @param concurrency partitions of the store to read at once
   * @param fetchSize records that the store sends at a time
   * @param chunkRows index rows to hold at a time
   * @param startedAt ms since the epoch
   */
  record ScanPlan(
      KvRecordSet recordSet,
      String incarnation,
      boolean adHoc,
      boolean first,
      int concurrency,
      int fetchSize,
      int chunkRows,
      long startedAt) {}

  /**
   * @param index holds all that the topic held when the scan started
   * @param guard that the index is materialized with
   * @param from what was looked at before
   * @param passedOver is given the keys of differences that are not sent, since the index moved on
   *     while they were found; tells whether they are read again before the next scan
   */
  StoreScan(
      ScanPlan plan,
      KvStore store,
      MaterializedIndex<?> index,
      OrderGuard guard,
      ReadRateLimiter rateLimiter,
      ScanPosition from,
      Predicate<String> passedOver) {
    this.plan = plan;
    this.comparison =
        new KeyComparison(plan.recordSet(), plan.incarnation(), plan.adHoc(), plan.first());
    this.store = store;
    this.index = index;
    this.guard = guard;
    this.rateLimiter = rateLimiter;
    this.position = from;
    this.passedOver = passedOver;
    this.records = from.records();
  }

  ScanPlan plan() {
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

  /** Whether a difference is left that it did not send, as the index moved on, for the next one. */
  boolean hasLeftOut() {
    return leftOut;
  }

  /** Whether keys are to be looked at once more; only in an ad-hoc snapshot. */
  boolean hasToReadAgain() {
    return !keysToReadAgain.isEmpty();
  }

  /** The index materializes an event. */
  void materialized(byte[] key, Entry before, ChangeEvent event) {
    if (plan.adHoc() && !isInStep(key, before, event)) {
      KeyComparison.ownKey(plan.recordSet(), new String(key, StandardCharsets.UTF_8))
          .ifPresent(own -> keysToReadAgain.add(own.toString()));
    }
  }

  /**
   * Whether app and index make the same of an event. A read: if nothing came for its key in
   * between, or a newer value of the same shard, which both take. Any other event: if its row will
   * be read, or was.
   */
  private boolean isInStep(byte[] key, Entry before, ChangeEvent event) {
    if (!(event.origin() instanceof Origin.SnapshotRead read) || !read.adHoc()) {
      return before != null || indexHasCaughtUp || !isBehind(key);
    }
    if (read.base().equals(KeyComparison.base(before))) {
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
    ScanPosition read = chunkEnd == null ? position : chunkEnd;
    return read.complete()
        || (read.indexKey() != null && Arrays.compareUnsigned(key, read.indexKey()) <= 0);
  }

  /**
   * The index has what the topic held when everything had been scanned. What comes later is as if
   * it came after the scan.
   */
  void indexHasCaughtUp() {
    indexHasCaughtUp = true;
  }

  /** Position up to which every key was looked at, and every difference was handed over. */
  ScanPosition position() {
    return position;
  }

  /** Whether the store has answered at all. */
  boolean hasAnswer() {
    return hasAnswer;
  }

  /**
   * Goes on for one step.
   *
   * @param budget how many records of the store, or rows of the index, to look at
   * @param nowMs ms since the epoch
   * @return whether the scan is over
   */
  boolean advance(int budget, long nowMs, Consumer<SnapshotRead> differences) {
    rateLimiter.tick(nowMs);
    readsAgain = !keysToReadAgain.isEmpty() && (!readsAgain || position.complete());
    if (readsAgain) {
      readKeysAgain(budget, differences);
    } else if (position.complete()) {
      return true;
    } else if (chunkEnd == null) {
      beginChunk();
    } else if (openRead != null || !chunkReads.isEmpty()) {
      readChunk(budget, differences);
    } else {
      readUnseen(budget, differences);
      if (unseen.isEmpty()) {
        return endChunk();
      }
    }
    return false;
  }

  private void beginChunk() {
    List<IndexRow> rows = index.rowsAfter(position.indexKey(), plan.chunkRows());
    KvKey upTo = position.covered();
    for (IndexRow row : rows) {
      String key = text(row);
      Optional<KvKey> own = KeyComparison.ownKey(plan.recordSet(), key);
      if (own.isPresent()) {
        unseen.put(key, row);
        KvKey major = own.get().majorKey();
        upTo = upTo == null || upTo.compareTo(major) < 0 ? major : upTo;
      } else if (row.entry().deleted()) {
        forgetExpired(row);
      }
    }
    boolean last = rows.size() < plan.chunkRows();
    byte[] indexKey = rows.isEmpty() ? position.indexKey() : rows.get(rows.size() - 1).key();
    chunkEnd = new ScanPosition(last ? null : upTo, indexKey, 0, last);
    KvKey prefix = plan.recordSet().prefix();
    if (last || (upTo != null && !upTo.equals(position.covered()))) {
      chunkReads = new KeyChunk(prefix, position.covered(), last ? null : upTo).reads();
    }
  }

  private boolean endChunk() {
    position =
        new ScanPosition(chunkEnd.covered(), chunkEnd.indexKey(), records, chunkEnd.complete());
    chunkEnd = null;
    return position.complete();
  }

  private void readChunk(int budget, Consumer<SnapshotRead> differences) {
    if (openRead == null) {
      openRead = chunkReads.remove().open(store, plan.concurrency(), plan.fetchSize());
    }
    for (int i = 0; i < budget && rateLimiter.allows(); i++) {
      boolean more = openRead.hasNext();
      hasAnswer = true;
      if (!more) {
        close();
        return;
      }
      KvRecord record = openRead.next();
      rateLimiter.read(record.value().length);
      if (plan.recordSet().contains(record)) {
        found(record, differences);
      } else {
        countPassedOver(record);
      }
    }
  }

  private void countPassedOver(KvRecord record) {
    if (record.tableRow()) {
      tableRows++;
    } else if (record.key().isLob()) {
      largeObjects++;
    }
  }

  private void found(KvRecord record, Consumer<SnapshotRead> differences) {
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
      differences.accept(comparison.alive(key, record, null));
    } else if (plan.adHoc()) {
      readAgain(key, now.get(), differences);
    }
    // Else the row is new since the chunk began, or of another chunk, which looks at it.
  }

  /** Whether the reads of chunks before showed the key, if it has a record. */
  private boolean isCovered(KvKey key) {
    return position.covered() != null && position.covered().compareTo(key.majorKey()) >= 0;
  }

  private void compare(
      String key, KvRecord record, IndexRow row, Consumer<SnapshotRead> differences) {
    if (wentBack == null) {
      wentBack = comparison.older(key, row.entry(), record).orElse(null);
    }
    comparison
        .compare(key, row.entry(), record)
        .ifPresent(difference -> tell(key, row, difference, differences));
  }

  /** Hands a snapshot read over, unless the index moved on since its base was read. */
  private void tell(
      String key, IndexRow row, SnapshotRead difference, Consumer<SnapshotRead> differences) {
    Optional<Entry> now = index.entry(row.key());
    if (now.isPresent() && now.get().equals(row.entry())) {
      differences.accept(difference);
    } else if (plan.adHoc() && now.isPresent()) {
      readAgain(key, now.get(), differences);
    } else {
      boolean isReadAgain = passedOver.test(key);
      leftOut |=
          !isReadAgain
              && comparison.compare(key, now.orElse(null), difference.record()).isPresent();
    }
  }

  private void readAgain(String key, Entry base, Consumer<SnapshotRead> differences) {
    Optional<KvRecord> record = readKey(KvKey.fromString(key));
    differences.accept(
        record.isPresent()
            ? comparison.alive(key, record.get(), base)
            : comparison.gone(key, base));
  }

  private void readKeysAgain(int budget, Consumer<SnapshotRead> differences) {
    Iterator<String> keys = keysToReadAgain.iterator();
    for (int i = 0; i < budget && keys.hasNext() && rateLimiter.allows(); i++) {
      String key = keys.next();
      Optional<Entry> known = index.entry(key.getBytes(StandardCharsets.UTF_8));
      if (known.isPresent()) {
        readAgain(key, known.get(), differences);
      } else {
        readKey(KvKey.fromString(key))
            .ifPresent(record -> differences.accept(comparison.alive(key, record, null)));
      }
      keys.remove();
    }
  }

  private void readUnseen(int budget, Consumer<SnapshotRead> differences) {
    Iterator<Map.Entry<String, IndexRow>> rows = unseen.entrySet().iterator();
    for (int i = 0; i < budget && rows.hasNext() && rateLimiter.allows(); i++) {
      Map.Entry<String, IndexRow> row = rows.next();
      compareUnseen(row.getKey(), row.getValue(), differences);
      rows.remove();
    }
  }

  private void compareUnseen(String key, IndexRow row, Consumer<SnapshotRead> differences) {
    KvKey storeKey = KvKey.fromString(key);
    if (KeyComparison.isGone(row.entry()) && !isCovered(storeKey) && !plan.adHoc()) {
      forgetExpired(row);
      return;
    }
    Optional<KvRecord> record = readKey(storeKey);
    if (record.isPresent()) {
      records++;
      compare(key, record.get(), row, differences);
    } else if (!KeyComparison.isGone(row.entry()) || (plan.adHoc() && !isRemovable(row.entry()))) {
      tell(key, row, comparison.gone(key, row.entry()), differences);
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

  private Optional<KvRecord> readKey(KvKey key) {
    Optional<KvRecord> record = comparison.read(store, key);
    hasAnswer = true;
    rateLimiter.read(record.map(found -> found.value().length).orElse(0));
    return record;
  }

  private static String text(IndexRow row) {
    return new String(row.key(), StandardCharsets.UTF_8);
  }

  /** The store or the topic failed: the scan goes on at the beginning of its chunk. */
  void interrupt() {
    close();
    hasAnswer = false;
    chunkReads.clear();
    unseen.clear();
    chunkEnd = null;
    records = position.records();
  }

  /** Stops the read of the store that is in progress; the scan goes on with the next one. */
  @Override
  public void close() {
    if (openRead != null) {
      openRead.close();
      openRead = null;
    }
  }
}
