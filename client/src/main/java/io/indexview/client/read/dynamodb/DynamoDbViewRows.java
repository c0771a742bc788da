package io.indexview.client.read.dynamodb;

import io.indexview.client.read.dynamodb.ItemAccess.DocumentAccess;
import io.indexview.client.read.dynamodb.ItemAccess.IndexAccess;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.SortedRows;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.ForeignRowException;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.MissingRowsException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The rows of one generation in DynamoDB. */
final class DynamoDbViewRows implements ViewRows {
  private static final int SCAN_PAGE = 500;

  private final ItemStore store;
  private final ViewGeneration generation;
  private final DynamoDbLayout layout;
  private final ItemAccess access;
  private final int sortLimit;

  DynamoDbViewRows(ItemStore store, ViewGeneration generation, int sortLimit) {
    this.store = store;
    this.generation = generation;
    this.layout = DynamoDbLayout.of(generation);
    this.access =
        generation.definition().kind() == ViewDefinition.Kind.DOCUMENT
            ? new DocumentAccess(layout)
            : new IndexAccess(generation, layout);
    this.sortLimit = sortLimit;
  }

  @Override
  public List<KeyField> fields(String index) {
    try {
      return access.fields(index);
    } catch (LayoutException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  @Override
  public FoundRows read(RowRequest request) {
    if (request.query().isEmpty()) {
      return page(List.of(), request.rows());
    }
    try {
      List<Candidate> found =
          request.query().equal().size() >= access.inPartition()
              ? inOnePartition(request)
              : everywhere(request);
      return page(found, request.rows());
    } catch (ItemStoreException.NoTable e) {
      throw new MissingRowsException(
          "table %s of generation %d is not there; rebuild the view if nobody brings it back"
              .formatted(layout.table().name(), generation.number()),
          e);
    }
  }

  /**
   * A row, and where it lies.
   *
   * @param row null: only its place is known
   */
  private record Candidate(StoredRow row, Map<String, Object> place) {}

  /**
   * @param found with one more than the limit, if there is one
   */
  private static FoundRows page(List<Candidate> found, int limit) {
    return new FoundRows(
        found.stream().limit(limit).map(Candidate::row).toList(),
        found.size() > limit ? found.get(limit - 1).place() : null);
  }

  /** The rows share a partition: the store gives them in order. */
  private List<Candidate> inOnePartition(RowRequest request) {
    Optional<ItemQuery> asked = itemQuery(request);
    if (asked.isEmpty()) {
      return List.of();
    }
    ItemQuery query = asked.get().without(DynamoDbLayout.DELETED);
    query = request.query().descending() ? query.descending() : query;
    query = request.absolute() ? query : query.eventual();
    List<String> position = position(request.index());
    int wanted = request.rows() + 1;
    List<Candidate> rows = new ArrayList<>();
    Map<String, Object> start = request.after();
    do {
      ItemPage page = page(query.page(wanted, start));
      for (Map<String, Object> item : page.items()) {
        if (rows.size() < wanted) {
          found(request.query(), item, position).ifPresent(rows::add);
        }
      }
      start = page.next();
    } while (start != null && rows.size() < wanted);
    return rows;
  }

  private Optional<ItemQuery> itemQuery(RowRequest request) {
    try {
      return access.query(request.query(), request.index());
    } catch (IllegalArgumentException e) {
      throw new InvalidQueryException(generation.view(), List.of(e.getMessage()));
    }
  }

  private ItemPage page(ItemQuery query) {
    try {
      return store.query(query);
    } catch (ItemStoreException.Rejected e) {
      throw new InvalidQueryException(generation.view(), List.of(e.getMessage()));
    }
  }

  /** Names of the attributes that say where an item lies. */
  private List<String> position(String index) {
    DynamoDbLayout.Table table = layout.table();
    Stream<DynamoDbLayout.KeyAttribute> own = Stream.of(table.partitionKey(), table.sortKey());
    Stream<DynamoDbLayout.KeyAttribute> ofIndex =
        table.indexes().stream()
            .filter(known -> known.name().equals(index))
            .flatMap(known -> Stream.of(known.partitionKey(), known.sortKey()));
    Set<String> names = new LinkedHashSet<>();
    Stream.concat(own, ofIndex)
        .filter(Objects::nonNull)
        .forEach(attribute -> names.add(attribute.name()));
    return List.copyOf(names);
  }

  private Optional<Candidate> found(
      KeyQuery query, Map<String, Object> item, List<String> position) {
    if (!layout.holds(item) || item.containsKey(DynamoDbLayout.DELETED)) {
      return Optional.empty();
    }
    StoredRow row;
    try {
      row = layout.row(item);
    } catch (LayoutException e) {
      throw new ForeignRowException(layout.id(item), e);
    }
    if (!query.matches(field -> value(row, field))) {
      return Optional.empty();
    }
    Map<String, Object> place = new LinkedHashMap<>();
    position.forEach(name -> place.put(name, item.get(name)));
    return Optional.of(new Candidate(row, place));
  }

  private static Object value(StoredRow row, KeyField field) {
    if (field.name().equals(ViewFields.PRIMARY_KEY)) {
      return row.primaryKey();
    }
    Object value =
        row.key().containsKey(field.name())
            ? row.key().get(field.name())
            : row.values().get(field.name());
    return field.type().normalise(value);
  }

  /** The rows lie in many partitions, between which the store knows no order. */
  private List<Candidate> everywhere(RowRequest request) {
    if (request.index() != null) {
      throw new InvalidQueryException(
          generation.view(),
          List.of(
              "index \"%s\" is read by its partition key; give a value of \"%s\""
                  .formatted(request.index(), request.query().fields().get(0).path())));
    }
    List<String> position = position(null);
    Comparator<Candidate> ascending =
        Comparator.comparing(Candidate::place, new ItemOrder(position));
    SortedRows<Candidate> sorted =
        new SortedRows<>(
            request.query().descending() ? ascending.reversed() : ascending,
            request.after() == null ? null : new Candidate(null, request.after()),
            request.rows() + 1,
            sortLimit,
            this::tooMany);
    Map<String, Object> start = null;
    do {
      ItemPage page = store.scan(layout.table().name(), start, SCAN_PAGE);
      for (Map<String, Object> item : page.items()) {
        sorted.count();
        found(request.query(), item, position).ifPresent(sorted::add);
      }
      start = page.next();
    } while (start != null);
    return sorted.rows();
  }

  private TooManyRowsException tooMany() {
    return new TooManyRowsException(
        generation.view(),
        sortLimit,
        access.fields(null).subList(0, access.inPartition()).stream().map(KeyField::path).toList());
  }

  /** Order of items by their key attributes, as the store orders those that share a partition. */
  private static final class ItemOrder implements Comparator<Map<String, Object>> {
    private final List<String> attributes;

    ItemOrder(List<String> attributes) {
      this.attributes = attributes;
    }

    @Override
    public int compare(Map<String, Object> left, Map<String, Object> right) {
      for (String attribute : attributes) {
        int order = compareValues(left.get(attribute), right.get(attribute));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }

    private static int compareValues(Object left, Object right) {
      return left instanceof Number
          ? new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString()))
          : FieldType.STRING.compare(left, right);
    }
  }
}
