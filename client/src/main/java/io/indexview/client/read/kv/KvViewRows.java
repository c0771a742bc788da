package io.indexview.client.read.kv;

import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.PageRows;
import io.indexview.client.read.target.SortedRows;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.read.target.ViewRows.UnexpectedRowException;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rows of one generation in the KV store. */
final class KvViewRows implements ViewRows {
  private static final int PARTITIONS_AT_ONCE = 4;

  private final KvStore store;
  private final ViewGeneration generation;
  private final KvLayout layout;
  private final List<KeyField> fields;
  private final int sortLimit;
  private final KvBatches batches;

  KvViewRows(KvStore store, ViewGeneration generation, int sortLimit) {
    this.store = store;
    this.generation = generation;
    this.layout = KvLayout.of(generation);
    this.fields = generation.fields().key();
    this.sortLimit = sortLimit;
    this.batches = new KvBatches(layout);
  }

  @Override
  public List<KeyField> fields(String index) {
    if (index != null) {
      throw new IllegalArgumentException(
          "view \"%s\" lies in the KV store, which has no indexes".formatted(generation.view()));
    }
    return fields;
  }

  @Override
  public FoundRows read(RowRequest request) {
    try {
      KeyQuery query = request.query();
      KvPath prefix = layout.prefix(query.equal());
      KvKey parent = new KvKey(prefix.major(), prefix.minor());
      RowPosition after = request.after() == null ? null : RowPosition.of(request.after());
      return query.equal().size() >= generation.definition().shardKeyLength()
          ? inOnePlace(request, parent, after)
          : everywhere(request, parent, after);
    } catch (KvStoreException.Refused e) {
      throw new InvalidQueryException(generation.view(), List.of(e.getMessage()));
    }
  }

  private ComponentRange range(KeyQuery query) {
    if (!query.asksNext()) {
      return ComponentRange.ALL;
    } else if (query.prefix() != null) {
      return ComponentRange.prefix(component(query, query.prefix()));
    }
    KeyQuery.Bound from = query.from();
    KeyQuery.Bound to = query.to();
    return new ComponentRange(
        from == null ? null : component(query, from.value()),
        from == null || from.included(),
        to == null ? null : component(query, to.value()),
        to == null || to.included(),
        null);
  }

  private String component(KeyQuery query, Object value) {
    return layout.component(query.equal().size(), value);
  }

  private static KvConsistency consistency(RowRequest request) {
    return request.absolute() ? KvConsistency.ABSOLUTE : KvConsistency.NONE;
  }

  /** The rows share one major path: the store gives them in order. */
  private FoundRows inOnePlace(RowRequest request, KvKey parent, RowPosition after) {
    PageRows<KvKey> page = new PageRows<>(request);
    Place place =
        new Place(
            layout.majorPath(parent.major()),
            parent,
            range(request.query()),
            !request.query().descending());
    if (after != null && layout.isList()) {
      readRest(request, after, page);
    }
    List<KvSelection> selections = after == null ? place.everything() : place.behind(after.key());
    KvBatches.Page ofPage = batches.page(request);
    int batch = ofPage.first(page.missing());
    while (page.missing() > 0 && !selections.isEmpty()) {
      Optional<KvKey> reached = read(request, place, selections, batch, ofPage, page);
      selections = reached.map(place::behind).orElse(List.of());
      batch = ofPage.further();
    }
    return page.found((key, row) -> position(key, row).toMap());
  }

  /** What comes after a row in its own record. */
  private void readRest(RowRequest request, RowPosition after, PageRows<KvKey> page) {
    boolean descending = request.query().descending();
    Optional<KvRecord> found = store.get(after.key(), consistency(request));
    if (found.isPresent()) {
      KvRecord record = found.get();
      List<StoredRow> rows = rows(record, descending);
      long share = share(record, rows);
      for (StoredRow row : rows) {
        int order = position(record.key(), row).compareTo(after);
        if (descending ? order < 0 : order > 0) {
          page.add(row, record.key(), share);
        }
      }
    }
  }

  private static int bytes(KvRecord record) {
    return record.key().serializedLength() + record.value().length;
  }

  /** What each of the rows of a record takes of it. */
  private static long share(KvRecord record, List<StoredRow> rows) {
    return bytes(record) / Math.max(1, rows.size());
  }

  /**
   * Reads so many records at most, in one request if they lie in one selection.
   *
   * @return the last of them if rows are still missing; empty: none are, or there are no more
   */
  private Optional<KvKey> read(
      RowRequest request,
      Place place,
      List<KvSelection> selections,
      int maxRecords,
      KvBatches.Page ofPage,
      PageRows<KvKey> page) {
    KvDirection direction = place.forward ? KvDirection.FORWARD : KvDirection.REVERSE;
    int left = maxRecords;
    int tombstones = 0;
    long bytes = 0;
    try {
      for (KvSelection selection : selections) {
        try (KvIterator<KvRecord> records =
            store.iterator(selection, direction, consistency(request), left)) {
          while (records.hasNext()) {
            KvRecord record = records.next();
            if (!place.goesOn(record.key())) {
              // What follows in this selection is not asked for either, but the others may have
              // rows.
              break;
            }
            bytes += bytes(record);
            left--;
            if (!add(record, place, page)) {
              tombstones++;
            }
            if (page.missing() == 0) {
              return Optional.empty();
            } else if (left == 0) {
              return Optional.of(record.key());
            }
          }
        }
      }
      return Optional.empty();
    } finally {
      ofPage.learn(tombstones, maxRecords - left, bytes);
    }
  }

  /** Adds the rows of a record, as far as they are asked for; returns whether there were any. */
  private boolean add(KvRecord record, Place place, PageRows<KvKey> page) {
    KvKey key = record.key();
    if (layout.isList()) {
      List<StoredRow> rows = rows(record, !place.forward);
      long share = share(record, rows);
      rows.forEach(row -> page.add(row, key, share));
      return !rows.isEmpty();
    }
    StoredRow row;
    try {
      row = place.rows.row(key.minor(), record.value());
    } catch (LayoutException e) {
      throw new UnexpectedRowException(key.toString(), e);
    }
    if (!row.deleted()) {
      page.add(row, key, bytes(record));
    }
    return !row.deleted();
  }

  private static KvPath path(KvRecord record) {
    return new KvPath(record.key().major(), record.key().minor());
  }

  private RowPosition position(KvKey key, StoredRow row) {
    return new RowPosition(key, layout.isList() ? row.primaryKey() : "");
  }

  /** The rows of a record in the order asked for, tombstones left out. */
  private List<StoredRow> rows(KvRecord record, boolean descending) {
    List<StoredRow> rows;
    try {
      rows = layout.rows(path(record), record.value());
    } catch (LayoutException e) {
      throw new UnexpectedRowException(record.key().toString(), e);
    }
    List<StoredRow> found = new ArrayList<>();
    for (StoredRow row : rows) {
      if (!row.deleted()) {
        found.add(row);
      }
    }
    if (descending) {
      Collections.reverse(found);
    }
    return found;
  }

  /** The rows lie under many major paths, between which the store knows no order. */
  private FoundRows everywhere(RowRequest request, KvKey parent, RowPosition after) {
    ComponentRange range = range(request.query());
    Comparator<RowPosition> order =
        request.query().descending() ? Comparator.reverseOrder() : Comparator.naturalOrder();
    SortedRows<RowPosition> sorted =
        new SortedRows<>(request, order, after, sortLimit, this::tooMany);
    Optional<KvRange> left =
        after == null
            ? range.whole(true)
            : range.left(
                after.key().major().get(parent.major().size()), !request.query().descending());
    if (left.isPresent()) {
      KvScan scan =
          KvScan.under(parent)
              .withRange(left.get())
              .withConsistency(consistency(request))
              .withConcurrency(PARTITIONS_AT_ONCE);
      int batch = batches.ofScan(scan.batchSize(), request.bytes() / PARTITIONS_AT_ONCE);
      collect(request, scan.withBatchSize(batch), range, sorted);
    }
    return sorted.found(RowPosition::toMap);
  }

  private void collect(
      RowRequest request, KvScan scan, ComponentRange range, SortedRows<RowPosition> sorted) {
    int position = scan.parent().major().size();
    int met = 0;
    long bytes = 0;
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (records.hasNext()) {
        KvRecord record = records.next();
        met++;
        bytes += bytes(record);
        List<String> major = record.key().major();
        if (major.size() <= position || range.contains(major.get(position))) {
          List<StoredRow> rows = rows(record, false);
          long share = share(record, rows);
          for (StoredRow row : rows) {
            sorted.count();
            sorted.add(row, position(record.key(), row), share);
          }
        }
      }
    } finally {
      batches.learn(request, met, bytes);
    }
  }

  private TooManyRowsException tooMany() {
    return new TooManyRowsException(
        generation.view(),
        sortLimit,
        fields.subList(0, generation.definition().shardKeyLength()).stream()
            .map(KeyField::path)
            .toList());
  }

  /**
   * Where rows lie that share one major path.
   *
   * @param range of the component that follows the parent
   */
  private record Place(
      KvLayout.MajorPath rows, KvKey parent, ComponentRange range, boolean forward) {
    /** Whether the range has not ended before a key that was read. */
    boolean goesOn(KvKey key) {
      return range.goesOn(key.minor().get(parent.minor().size()), forward);
    }

    /** Selections that cover the whole range. */
    List<KvSelection> everything() {
      return range
          .whole(forward)
          .map(below -> List.of(KvSelection.below(parent, below)))
          .orElse(List.of());
    }

    /**
     * The part of {@link #everything} that comes after a key, whether or not that still exists. One
     * selection ranges over one component only, so it takes one for each component of the key.
     *
     * @param after a key below the parent, its next component in the range
     */
    List<KvSelection> behind(KvKey after) {
      List<KvSelection> selections = new ArrayList<>();
      int first = parent.minor().size();
      int last = after.minor().size() - 1;
      if (forward) {
        // A key comes before those that it begins.
        selections.add(KvSelection.below(after, KvRange.ALL));
      }
      for (int i = last; i > first; i--) {
        KvKey above = new KvKey(after.major(), after.minor().subList(0, i));
        String component = after.minor().get(i);
        selections.add(
            forward
                ? KvSelection.below(above, KvRange.from(component, false))
                : new KvSelection(above, KvRange.to(component, false), true));
      }
      range
          .beyond(after.minor().get(first), forward)
          .ifPresent(below -> selections.add(KvSelection.below(parent, below)));
      return selections;
    }
  }

  /**
   * Where a row lies.
   *
   * @param element primary key of a row in a list; empty: the record holds one row
   */
  private record RowPosition(KvKey key, String element) implements Comparable<RowPosition> {
    private static final String KEY = "key";
    private static final String ELEMENT = "element";
    private static final Comparator<RowPosition> ORDER =
        Comparator.comparing(RowPosition::key).thenComparing(RowPosition::element);

    static RowPosition of(Map<String, Object> position) {
      return new RowPosition(
          KvKey.fromString((String) position.get(KEY)),
          (String) position.getOrDefault(ELEMENT, ""));
    }

    /** What {@link #of} reads. */
    Map<String, Object> toMap() {
      return element.isEmpty()
          ? Map.of(KEY, key.toString())
          : Map.of(KEY, key.toString(), ELEMENT, element);
    }

    @Override
    public int compareTo(RowPosition other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * Which texts the key component after a parent may have, in the store's order.
   *
   * @param from null: open
   * @param to null: open
   * @param prefix null: any; else there are no bounds
   */
  private record ComponentRange(
      String from, boolean fromIncluded, String to, boolean toIncluded, String prefix) {
    static final ComponentRange ALL = new ComponentRange(null, true, null, true, null);

    static ComponentRange prefix(String prefix) {
      return new ComponentRange(null, true, null, true, prefix);
    }

    boolean contains(String component) {
      return goesOn(component, true) && goesOn(component, false);
    }

    /** Whether the range has not ended before a component that is read in the direction given. */
    boolean goesOn(String component, boolean forward) {
      if (prefix != null) {
        return component.startsWith(prefix);
      }
      return forward
          ? to == null || KvRange.to(to, toIncluded).contains(component)
          : from == null || KvRange.from(from, fromIncluded).contains(component);
    }

    /**
     * Where to read in the direction given; empty: nothing can be there. It begins where this range
     * does, but may end later: see {@link #goesOn}.
     */
    Optional<KvRange> whole(boolean forward) {
      return prefix == null ? bounded(forward) : Optional.of(KvRange.prefix(prefix));
    }

    /** The rest of {@link #whole} behind a component of this range. */
    Optional<KvRange> beyond(String component, boolean forward) {
      return rest(component, false, forward).bounded(forward);
    }

    /**
     * Where rows can be that come after one with a component of this range, which more rows may
     * have. A range by prefix has no other begin, so nothing of it is left out.
     */
    Optional<KvRange> left(String component, boolean forward) {
      return prefix == null ? rest(component, true, forward).bounded(forward) : whole(forward);
    }

    private ComponentRange rest(String component, boolean included, boolean forward) {
      return forward
          ? new ComponentRange(component, included, to, toIncluded, null)
          : new ComponentRange(from, fromIncluded, component, included, null);
    }

    private Optional<KvRange> bounded(boolean forward) {
      if (from == null || to == null) {
        return Optional.of(new KvRange(from, fromIncluded, to, toIncluded, false));
      }
      boolean none =
          from.equals(to) ? !(fromIncluded && toIncluded) : !KvRange.from(from, false).contains(to);
      if (none) {
        return Optional.empty();
      }
      if (from.compareTo(to) > 0) {
        // In the store's order, but not in Java's, which Oracle's client goes by.
        return Optional.of(forward ? KvRange.from(from, fromIncluded) : KvRange.to(to, toIncluded));
      }
      return Optional.of(new KvRange(from, fromIncluded, to, toIncluded, false));
    }
  }
}
