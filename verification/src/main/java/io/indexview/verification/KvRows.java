package io.indexview.verification;

import io.indexview.client.admin.KnownViews;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;

/**
 * The rows of one view generation in the KV store. The id of a row is the key of its record, and
 * where records list several rows the primary key behind a space.
 */
public final class KvRows implements TargetReader {
  private static final int BATCH = 500;

  private final KvStore store;
  private final Target.Kv kv;
  private final KvLayout layout;
  private final TombstoneRetention retention;

  /** Where sinks keep tombstones for as long as by default. */
  public KvRows(KvStore store, ViewGeneration generation) {
    this(store, generation, TombstoneRetention.DEFAULT);
  }

  public KvRows(KvStore store, ViewGeneration generation, TombstoneRetention retention) {
    this.store = store;
    this.layout = KvLayout.of(generation);
    this.kv = (Target.Kv) generation.definition().target();
    this.retention = retention;
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    KvPath path = layout.path(key::get);
    return row(key(path), layout.row(path, layout.value(key::get, value::get, revision)));
  }

  /** Content of a row as the sink writes it. */
  @Override
  public RowContent derived(GenericRecord key, GenericRecord value, long revision) {
    String primaryKey = String.valueOf(key.get(ViewFields.PRIMARY_KEY));
    return new RowContent(
        id(layout.path(key::get), primaryKey),
        primaryKey,
        layout.holdsRevisions() ? OptionalLong.of(revision) : OptionalLong.empty(),
        layout.value(key::get, value::get, revision));
  }

  /** Content of a row as the sink would write it, if that is read as the same row. */
  @Override
  public RowContent content(Row row) {
    try {
      Map<String, Object> key = Map.of(ViewFields.PRIMARY_KEY, row.primaryKey());
      byte[] value = layout.value(key::get, row.values()::get, row.revision().orElse(0));
      KvKey place = keyOf(row.id());
      if (row(place, layout.row(path(place), value)).equals(row)) {
        return new RowContent(row.id(), row.primaryKey(), row.revision(), value);
      }
    } catch (LayoutException e) {
      // No sink writes it.
    }
    return RowContent.of(row);
  }

  @Override
  public String id(GenericRecord key) {
    return id(layout.path(key::get), String.valueOf(key.get(ViewFields.PRIMARY_KEY)));
  }

  @Override
  public void scan(Visitor visitor) {
    Instant began = retention.now();
    try (ReadAhead records = new ReadAhead(List.of(this::everything))) {
      read(records, visitor, record -> visit(record, began, visitor, visitor::row));
    }
  }

  /** A position is a value of the key component behind {@link KvLayout#parent}, by its order. */
  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    List<KvRange> ranges = ranges(sample.stream().map(KvRows::keyOf), parent(), from);
    List<Supplier<KvIterator<KvRecord>>> parts = new ArrayList<>();
    List<Optional<String>> positions = new ArrayList<>();
    if (ranges.size() == 1 && ranges.get(0).isAll()) {
      parts.add(this::everything);
      positions.add(Optional.empty());
    } else {
      if (from.isEmpty()) {
        // Ranges leave out what lies directly below the parent.
        parts.add(this::belowParent);
        positions.add(Optional.empty());
      }
      for (KvRange range : ranges) {
        parts.add(() -> store.storeIterator(KvScan.under(parent()).withRange(range)));
        positions.add(Optional.ofNullable(range.end()));
      }
    }
    Consumer<KvRecord> contents = contents(visitor);
    try (ReadAhead records = new ReadAhead(parts)) {
      for (Optional<String> position : positions) {
        read(records, visitor, contents);
        position.ifPresent(visitor::reached);
        records.nextPart();
      }
    }
  }

  /**
   * Ranges of the key component behind a parent, in ascending order and without a gap, the last one
   * without an end: so that a scan can go on with one of them.
   *
   * @param keys where ranges end, in any order, also several times
   * @param from value of the component that the first range begins with; empty: the lowest
   */
  private static List<KvRange> ranges(Stream<KvKey> keys, KvKey parent, Optional<String> from) {
    List<KvRange> ranges = new ArrayList<>();
    int component = parent.major().size();
    String start = from.orElse(null);
    List<String> bounds =
        keys.filter(key -> key.major().size() > component && parent.isMajorPrefixOf(key))
            .map(key -> KvKey.ofMajor(key.major().get(component)))
            .sorted()
            .map(key -> key.major().get(0))
            .distinct()
            .toList();
    for (String bound : bounds) {
      if (isAbove(bound, start)) {
        ranges.add(new KvRange(start, true, bound, false, false));
        start = bound;
      }
    }
    ranges.add(new KvRange(start, true, null, true, false));
    return ranges;
  }

  /** Whether a bound is above a start by the order of Java, too: ranges are in order by both. */
  private static boolean isAbove(String bound, String start) {
    return start == null
        ? !bound.isEmpty()
        : KvKey.ofMajor(bound).compareTo(KvKey.ofMajor(start)) > 0 && bound.compareTo(start) > 0;
  }

  private KvIterator<KvRecord> everything() {
    return store.storeIterator(KvScan.under(parent()));
  }

  private KvIterator<KvRecord> belowParent() {
    return store.iterator(
        KvSelection.of(parent()), KvDirection.FORWARD, KvConsistency.ABSOLUTE, BATCH);
  }

  private KvKey parent() {
    return new KvKey(layout.parent(), List.of());
  }

  private Consumer<KvRecord> contents(ContentVisitor visitor) {
    Instant began = retention.now();
    return record -> {
      if (layout.isPlainRow(path(record.key()), record.value())) {
        visitor.content(record.key().toString(), record.value());
      } else if (layout.isList()) {
        visit(record, began, visitor, visitor::row);
      } else {
        visit(record, began, visitor, row -> visitor.content(row.id(), record.value()));
      }
    };
  }

  /** Reads to the end of a part. */
  private static void read(ReadAhead records, Meter meter, Consumer<KvRecord> visitor) {
    while (records.hasNext()) {
      KvRecord record = records.next();
      meter.consumed(bytes(record), 0);
      visitor.accept(record);
    }
  }

  private void visit(KvRecord record, Instant began, Visitor visitor, Consumer<Row> live) {
    List<StoredRow> rows;
    try {
      rows = rows(record);
    } catch (LayoutException e) {
      visitor.unexpected(record.key().toString(), Kind.UNDECODABLE, e.getMessage(), record.value());
      return;
    }
    for (StoredRow row : rows) {
      if (row.deleted()) {
        String id = id(record.key(), row.primaryKey());
        overdue(row, began)
            .ifPresentOrElse(
                reason -> visitor.expiredTombstone(id, reason), () -> visitor.tombstone(id));
      } else {
        live.accept(row(record.key(), row));
      }
    }
  }

  /** Why a tombstone should be gone; empty: it may stay. */
  private Optional<String> overdue(StoredRow tombstone, Instant at) {
    return retention.overdue(tombstone.revision().orElseThrow(), at);
  }

  private static long bytes(KvRecord record) {
    return (long) record.key().serializedLength() + record.value().length;
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    KvKey key = keyOf(id);
    try {
      return get(key, meter).stream()
          .flatMap(record -> rows(record).stream())
          .filter(row -> !row.deleted())
          .map(row -> row(key, row))
          .filter(row -> row.id().equals(id))
          .findFirst();
    } catch (LayoutException e) {
      // Something else lies in the row's place.
      return Optional.empty();
    }
  }

  @Override
  public Optional<byte[]> unexpected(String id, Meter meter) {
    Instant began = retention.now();
    return get(keyOf(id), meter)
        .filter(record -> isUnexpected(record, id, began))
        .map(KvRecord::value);
  }

  @Override
  public List<NotLookedFor> notLookedFor() {
    return List.of();
  }

  @Override
  public void orphaned(KnownViews known, Predicate<Orphaned> visitor, Meter meter) {
    new OrphanedRecords(store, known, visitor, meter).of(kv);
  }

  private boolean isUnexpected(KvRecord record, String id, Instant began) {
    try {
      return rows(record).stream()
          .filter(StoredRow::deleted)
          .filter(row -> id(record.key(), row.primaryKey()).equals(id))
          .anyMatch(row -> overdue(row, began).isPresent());
    } catch (LayoutException e) {
      return true;
    }
  }

  private Optional<KvRecord> get(KvKey key, Meter meter) {
    Optional<KvRecord> found = store.get(key);
    meter.consumed(found.map(KvRows::bytes).orElse((long) key.serializedLength()), 0);
    return found;
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    Optional<KvRecord> found = layout.holdsRevisions() ? get(keyOf(id), meter) : Optional.empty();
    try {
      return found.isEmpty()
          ? OptionalLong.empty()
          : layout
              .content(found.get().value(), Long.MIN_VALUE, Integer.MAX_VALUE)
              .revision(id.substring(id.indexOf(' ') + 1));
    } catch (LayoutException e) {
      // Neither has the fence a revision of it.
      return OptionalLong.empty();
    }
  }

  /** A key's text escapes spaces. */
  private static KvKey keyOf(String id) {
    int space = id.indexOf(' ');
    return KvKey.fromString(space < 0 ? id : id.substring(0, space));
  }

  private List<StoredRow> rows(KvRecord record) {
    return layout.rows(path(record.key()), record.value());
  }

  static KvPath path(KvKey key) {
    return new KvPath(key.major(), key.minor());
  }

  private static KvKey key(KvPath path) {
    return new KvKey(path.major(), path.minor());
  }

  private Row row(KvKey key, StoredRow stored) {
    return new Row(
        id(key, stored.primaryKey()),
        stored.primaryKey(),
        stored.key(),
        stored.values(),
        stored.revision());
  }

  private String id(KvKey key, String primaryKey) {
    return id(key.toString(), primaryKey);
  }

  private String id(KvPath path, String primaryKey) {
    return id(KvKey.text(path.major(), path.minor()), primaryKey);
  }

  private String id(String key, String primaryKey) {
    return layout.isList() ? key + " " + primaryKey : key;
  }
}
