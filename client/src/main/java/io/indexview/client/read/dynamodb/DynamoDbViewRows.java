package io.indexview.client.read.dynamodb;

import io.indexview.client.read.dynamodb.ItemAccess.DocumentAccess;
import io.indexview.client.read.dynamodb.ItemAccess.IndexAccess;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.PageRows;
import io.indexview.client.read.target.SortedRows;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.FoundRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.MissingRowsException;
import io.indexview.client.read.target.ViewRows.RowRequest;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.read.target.ViewRows.UnexpectedRowException;
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
import io.indexview.views.layout.ItemSize;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.math.BigDecimal;
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
      return FoundRows.NONE;
    }
    try {
      return request.query().equal().size() >= access.inPartition()
          ? inOnePartition(request)
          : everywhere(request);
    } catch (ItemStoreException.NoTable e) {
      throw new MissingRowsException(
          "table %s of generation %d is not there; rebuild the view if nobody brings it back"
              .formatted(layout.table().name(), generation.number()),
          e);
    }
  }

  /** The rows share a partition: the store gives them in order. */
  private FoundRows inOnePartition(RowRequest request) {
    Optional<ItemQuery> asked = itemQuery(request);
    if (asked.isEmpty()) {
      return FoundRows.NONE;
    }
    ItemQuery query = asked.get().without(DynamoDbLayout.DELETED);
    query = request.query().descending() ? query.descending() : query;
    query = request.absolute() ? query : query.eventual();
    List<String> position = position(request.index());
    PageRows<Map<String, Object>> rows = new PageRows<>(request);
    Map<String, Object> start = request.after();
    do {
      ItemPage page = page(query.page(request.rows() + 1, start));
      for (Map<String, Object> item : page.items()) {
        if (rows.missing() > 0) {
          row(request.query(), item)
              .ifPresent(row -> rows.add(row, place(item, position), ItemSize.atMost(item)));
        }
      }
      start = page.next();
    } while (start != null && rows.missing() > 0);
    return rows.found((place, row) -> place);
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

  /** The row of an item; empty: it is not asked for. */
  private Optional<StoredRow> row(KeyQuery query, Map<String, Object> item) {
    if (!layout.holds(item) || item.containsKey(DynamoDbLayout.DELETED)) {
      return Optional.empty();
    }
    StoredRow row;
    try {
      row = layout.row(item);
    } catch (LayoutException e) {
      throw new UnexpectedRowException(layout.id(item), e);
    }
    return query.matches(field -> value(row, field)) ? Optional.of(row) : Optional.empty();
  }

  private static Map<String, Object> place(Map<String, Object> item, List<String> position) {
    Map<String, Object> place = new LinkedHashMap<>();
    position.forEach(name -> place.put(name, item.get(name)));
    return place;
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
  private FoundRows everywhere(RowRequest request) {
    if (request.index() != null) {
      throw new InvalidQueryException(
          generation.view(),
          List.of(
              "index \"%s\" is read by its partition key; give a value of \"%s\""
                  .formatted(request.index(), request.query().fields().get(0).path())));
    }
    List<String> position = position(null);
    Comparator<Map<String, Object>> ascending = new ItemOrder(position);
    SortedRows<Map<String, Object>> sorted =
        new SortedRows<>(
            request,
            request.query().descending() ? ascending.reversed() : ascending,
            request.after(),
            sortLimit,
            this::tooMany);
    Map<String, Object> start = null;
    do {
      ItemPage page = store.scan(layout.table().name(), start, SCAN_PAGE);
      for (Map<String, Object> item : page.items()) {
        sorted.count();
        row(request.query(), item)
            .ifPresent(row -> sorted.add(row, place(item, position), ItemSize.atMost(item)));
      }
      start = page.next();
    } while (start != null);
    return sorted.found(place -> place);
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
