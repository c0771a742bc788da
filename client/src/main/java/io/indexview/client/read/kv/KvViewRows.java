package io.indexview.client.read.kv;

import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.SortedRows;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.ForeignRowException;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvSelection.KvDepth;
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
  /** A small page must not take a request for every few tombstones before its first row. */
  private static final int BATCH_AMONG_TOMBSTONES = 500;

  /** What is above comes in several requests. */
  private static final int MAX_BATCH = 2_000;

  private static final int MAX_BATCH_OF_LISTS = 500;
  private static final int FEW_TOMBSTONES = 8;

  /** What is left of the room for tombstones after a page that needed less. */
  private static final double KEPT_ROOM = 63.0 / 64;

  private static final int PARTITIONS_AT_ONCE = 4;

  private final KvStore store;
  private final ViewGeneration generation;
  private final KvLayout layout;
  private final List<KeyField> fields;
  private final int sortLimit;

  /**
   * How much of {@link #maxRoom} a page's first request has for tombstones: twice of what pages
   * lately needed, so that rows that have none are not read in vain, and those that have some come
   * at once.
   */
  private volatile double room = 1;

  KvViewRows(KvStore store, ViewGeneration generation, int sortLimit) {
    this.store = store;
    this.generation = generation;
    this.layout = KvLayout.of(generation);
    this.fields = generation.fields().key();
    this.sortLimit = sortLimit;
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
      Page page = new Page(request.rows());
      if (query.equal().size() >= generation.definition().shardKeyLength()) {
        inOnePlace(request, parent, after, page);
      } else {
        everywhere(request, parent, after, page);
      }
      return page.found();
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
  private void inOnePlace(RowRequest request, KvKey parent, RowPosition after, Page page) {
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
    int batch = firstBatch(page.missing());
    while (page.missing() > 0 && !selections.isEmpty()) {
      Optional<KvKey> reached = read(request, place, selections, batch, page);
      selections = reached.map(place::behind).orElse(List.of());
      batch = BATCH_AMONG_TOMBSTONES;
    }
  }

  /** Of so many rows, which a few tombstones among them must not make two requests. */
  private int firstBatch(int rows) {
    int records = layout.holdsRevisions() ? rows + (int) (room * maxRoom(rows)) : rows;
    return Math.min(layout.isList() ? MAX_BATCH_OF_LISTS : MAX_BATCH, records);
  }

  private static int maxRoom(int rows) {
    return rows / 4 + FEW_TOMBSTONES;
  }

  /** Of two threads that learn at once one may have learnt in vain. */
  private void learn(int rows, int tombstones) {
    double before = room;
    double needed = 2.0 * tombstones / maxRoom(rows);
    double now = Math.min(1, Math.max(needed, before * KEPT_ROOM));
    if (now != before && (now > before || before * maxRoom(MAX_BATCH) >= 1)) {
      room = now;
    }
  }

  /** What comes after a row in its own record. */
  private void readRest(RowRequest request, RowPosition after, Page page) {
    boolean descending = request.query().descending();
    store
        .get(after.key(), consistency(request))
        .ifPresent(
            record ->
                candidates(record, descending).stream()
                    .filter(row -> row.position.compareTo(after) * (descending ? -1 : 1) > 0)
                    .forEach(page::add));
  }

  /**
   * Reads so many records at most, in one request if they lie in one selection.
   *
   * @return the last of them if rows are still missing; empty: none are, or there are no more
   */
  private Optional<KvKey> read(
      RowRequest request, Place place, List<KvSelection> selections, int maxRecords, Page page) {
    KvDirection direction = place.forward ? KvDirection.FORWARD : KvDirection.REVERSE;
    int left = maxRecords;
    int tombstones = 0;
    for (KvSelection selection : selections) {
      try (KvIterator<KvRecord> records =
          store.iterator(selection, direction, consistency(request), left)) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          if (!place.goesOn(record.key())) {
            // What follows in this selection is not asked for either, but the others may have rows.
            break;
          }
          if (!add(record, place, page)) {
            tombstones++;
          }
          left--;
          boolean isDone = page.missing() == 0;
          if (left == 0 || isDone) {
            learn(request.rows(), tombstones);
            return isDone ? Optional.empty() : Optional.of(record.key());
          }
        }
      }
    }
    learn(request.rows(), tombstones);
    return Optional.empty();
  }

  /** Adds the rows of a record, as far as they are asked for; returns whether there were any. */
  private boolean add(KvRecord record, Place place, Page page) {
    if (layout.isList()) {
      List<Candidate> candidates = candidates(record, !place.forward);
      candidates.forEach(page::add);
      return !candidates.isEmpty();
    }
    KvKey key = record.key();
    StoredRow row;
    try {
      row = place.rows.row(key.minor(), record.value());
    } catch (LayoutException e) {
      throw new ForeignRowException(key.toString(), e);
    }
    if (!row.deleted()) {
      page.add(row, key, "");
    }
    return !row.deleted();
  }

  private static KvPath path(KvRecord record) {
    return new KvPath(record.key().major(), record.key().minor());
  }

  private record Candidate(RowPosition position, StoredRow row) {}

  /** The rows of a page, as they are found. For one thread. */
  private static final class Page {
    private final int limit;
    private final List<StoredRow> rows;
    private KvKey lastKey;
    private String lastElement;
    private boolean hasMore;

    Page(int limit) {
      this.limit = limit;
      this.rows = new ArrayList<>(Math.min(limit, MAX_BATCH));
    }

    /** How many rows are still to be found at most: those of the page and the one behind it. */
    int missing() {
      return hasMore ? 0 : limit + 1 - rows.size();
    }

    void add(Candidate candidate) {
      add(candidate.row, candidate.position.key, candidate.position.element);
    }

    /**
     * Adds a row, unless the page is full: then one more follows it.
     *
     * @param element see {@link RowPosition}
     */
    void add(StoredRow row, KvKey key, String element) {
      if (rows.size() == limit) {
        hasMore = true;
      } else {
        rows.add(row);
        lastKey = key;
        lastElement = element;
      }
    }

    FoundRows found() {
      return new FoundRows(rows, hasMore ? new RowPosition(lastKey, lastElement).toMap() : null);
    }
  }

  /** The rows of a record in the order asked for, tombstones left out. */
  private List<Candidate> candidates(KvRecord record, boolean descending) {
    List<StoredRow> rows;
    try {
      rows = layout.rows(path(record), record.value());
    } catch (LayoutException e) {
      throw new ForeignRowException(record.key().toString(), e);
    }
    List<Candidate> candidates = new ArrayList<>();
    for (StoredRow row : rows) {
      if (!row.deleted()) {
        String element = layout.isList() ? row.primaryKey() : "";
        candidates.add(new Candidate(new RowPosition(record.key(), element), row));
      }
    }
    if (descending) {
      Collections.reverse(candidates);
    }
    return candidates;
  }

  /** The rows lie under many major paths, between which the store knows no order. */
  private void everywhere(RowRequest request, KvKey parent, RowPosition after, Page page) {
    ComponentRange range = range(request.query());
    boolean descending = request.query().descending();
    Comparator<Candidate> ascending = Comparator.comparing(Candidate::position);
    SortedRows<Candidate> sorted =
        new SortedRows<>(
            descending ? ascending.reversed() : ascending,
            after == null ? null : new Candidate(after, null),
            page.missing(),
            sortLimit,
            this::tooMany);
    range
        .whole(true)
        .ifPresent(
            whole -> {
              KvScan scan =
                  KvScan.under(parent)
                      .withRange(whole)
                      .withConsistency(consistency(request))
                      .withConcurrency(PARTITIONS_AT_ONCE);
              collect(scan, range, sorted);
            });
    sorted.rows().forEach(page::add);
  }

  private void collect(KvScan scan, ComponentRange range, SortedRows<Candidate> sorted) {
    int position = scan.parent().major().size();
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (records.hasNext()) {
        KvRecord record = records.next();
        List<String> major = record.key().major();
        if (major.size() <= position || range.contains(major.get(position))) {
          for (Candidate candidate : candidates(record, false)) {
            sorted.count();
            sorted.add(candidate);
          }
        }
      }
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

    /** Everything that lies there. */
    List<KvSelection> everything() {
      return range
          .whole(forward)
          .map(below -> List.of(KvSelection.below(parent, below)))
          .orElse(List.of());
    }

    /**
     * Of {@link #everything} only what comes after a key, whether or not that is still there. One
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
                : new KvSelection(
                    above, KvRange.to(component, false), KvDepth.PARENT_AND_DESCENDANTS));
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

    /** The same from a component of this range on, which is left out itself. */
    Optional<KvRange> beyond(String component, boolean forward) {
      ComponentRange rest =
          forward
              ? new ComponentRange(component, false, to, toIncluded, null)
              : new ComponentRange(from, fromIncluded, component, false, null);
      return rest.bounded(forward);
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
