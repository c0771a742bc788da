package io.indexview.views.layout;

import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.ItemSize.ItemLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Rows of one generation in DynamoDB, as plain Java: {@link String}, {@link Number}, {@link
 * Boolean}, {@code byte[]}, {@link List} and {@link Map} of these; an attribute without a value is
 * left out. Fields are taken by name from a function, as in {@link KvLayout}. Thread-safe.
 *
 * <p>An index view's table has the keys {@value #PARTITION}, the shard key's values, and {@value
 * #SORT}, the other values and the primary key. A document's table has its own fields as
 * attributes.
 */
public final class DynamoDbLayout {
  /** Partition key of index views: the shard key's values as text. */
  public static final String PARTITION = "_pk";

  /** Sort key of index views: the other values and the primary key as text that sorts. */
  public static final String SORT = "_sk";

  /** Attribute that holds the revision. */
  public static final String REVISION = "revision";

  /** Attribute that holds the generation, where generations share one table. */
  public static final String GENERATION = "gen";

  /** Attribute that only tombstones have: true. */
  public static final String DELETED = "_deleted";

  /** Attribute of tombstones for the table's time to live: seconds since the epoch. */
  public static final String EXPIRES_AT = "_expiresAt";

  private final ViewGeneration generation;
  private final boolean inPlace;
  private final Table table;
  private final ViewFields fields;
  private final ItemKey itemKey;
  private final ItemLimits limits;

  private DynamoDbLayout(ViewGeneration generation, Target.DynamoDb target, ViewFields fields) {
    this.generation = generation;
    this.inPlace = target.swap() == Target.Swap.IN_PLACE;
    this.fields = fields;
    this.itemKey =
        generation.definition().kind() == ViewDefinition.Kind.DOCUMENT
            ? new DocumentKey(fields)
            : new IndexKey(fields, generation.definition().shardKeyLength());
    this.table =
        new Table(
            generation.storeName(),
            itemKey.partitionKey(),
            itemKey.sortKey(),
            target.indexes().stream().map(index -> index(index, fields)).toList());
    this.limits = new ItemLimits(table);
  }

  /**
   * The layout of a generation.
   *
   * @throws LayoutException if its target is not DynamoDB
   */
  public static DynamoDbLayout of(ViewGeneration generation) {
    if (generation.definition().target() instanceof Target.DynamoDb target) {
      return new DynamoDbLayout(generation, target, generation.fields());
    }
    throw new LayoutException(
        "view \"%s\" has target %s, not dynamodb"
            .formatted(generation.view(), generation.definition().target().type()));
  }

  private static Index index(Target.GlobalIndex index, ViewFields fields) {
    return new Index(
        index.name(),
        Attributes.key(fields, index.partitionKey()),
        index.sortKey() == null ? null : Attributes.key(fields, index.sortKey()));
  }

  /** Whether all generations have the same table, which others may use, too. */
  public boolean isInPlace() {
    return inPlace;
  }

  public Table table() {
    return table;
  }

  /** The key of an item as text: a JSON array of its key attributes, numbers as text. */
  public String id(Map<String, ?> item) {
    return ItemTexts.id(table.keys(), item);
  }

  /**
   * The key attributes that {@link #id} is of.
   *
   * @throws IllegalArgumentException if it is of none
   */
  public Map<String, Object> keyOf(String id) {
    return ItemTexts.key(table.keys(), id);
  }

  /** Bytes that are the same for equal items, whatever the order of their attributes. */
  public static byte[] content(Map<String, ?> item) {
    return ItemTexts.content(item);
  }

  /**
   * The key attributes of a row.
   *
   * @throws LayoutException if the store does not take such a key
   */
  public Map<String, Object> key(Function<String, ?> key) {
    Map<String, Object> attributes = itemKey.attributes(key);
    limits.checkKey(attributes);
    return attributes;
  }

  /**
   * The whole item of a row. A value that is empty text is left out where an index is keyed by it,
   * as the store takes none there.
   *
   * @throws LayoutException if the store does not take such an item
   */
  public Map<String, Object> item(
      Function<String, ?> key, Function<String, ?> value, long revision) {
    Map<String, Object> item = key(key);
    itemKey.addRest(item, key);
    for (ViewFields.ValueField field : fields.values()) {
      try {
        Object plain = PlainValues.of(field.schema(), value.apply(field.name()));
        Object attribute =
            table.isKey(field.name())
                ? Attributes.ofKey(field.schema(), plain)
                : Attributes.of(field.schema(), plain);
        boolean noIndexKey = table.isKey(field.name()) && "".equals(attribute);
        if (attribute != null && !noIndexKey) {
          item.put(field.name(), attribute);
        }
      } catch (IllegalArgumentException e) {
        throw new LayoutException("field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    addRevision(item, revision);
    limits.checkItem(item);
    return item;
  }

  /** A tombstone: the key and what the fence needs, no index attributes. */
  public Map<String, Object> tombstone(
      Function<String, ?> key, long revision, long expiresAtSeconds) {
    Map<String, Object> item = key(key);
    item.putIfAbsent(ViewFields.PRIMARY_KEY, RowKey.primaryKey(key));
    addRevision(item, revision);
    item.put(DELETED, true);
    item.put(EXPIRES_AT, expiresAtSeconds);
    return item;
  }

  private void addRevision(Map<String, Object> item, long revision) {
    item.put(REVISION, revision);
    if (inPlace) {
      item.put(GENERATION, (long) generation.number());
    }
  }

  /**
   * An item read back; numbers may come as any {@link Number}.
   *
   * @throws LayoutException if it is no row of this generation
   */
  public StoredRow row(Map<String, ?> item) {
    Map<String, Object> included = new LinkedHashMap<>();
    for (ViewFields.ValueField field :
        isTombstone(item) ? List.<ViewFields.ValueField>of() : fields.values()) {
      included.put(field.name(), Attributes.parse(field.name(), field.schema(), item));
    }
    return row(item, included);
  }

  /**
   * Requires an item to be a row by what its table is keyed by, its primary key and its revision.
   * It is one of this generation also if somebody has changed a value, so that {@link #row} refuses
   * it.
   *
   * @throws LayoutException if it is no row of this generation
   */
  public void requireRow(Map<String, ?> item) {
    row(item, Map.of());
  }

  private StoredRow row(Map<String, ?> item, Map<String, Object> included) {
    if (!(item.get(REVISION) instanceof Number number)) {
      throw new LayoutException("an item without the number \"%s\"".formatted(REVISION));
    }
    long revision = (long) Attributes.parse(REVISION, FieldType.LONG, number);
    return itemKey.row(item, included, revision, isTombstone(item));
  }

  private static boolean isTombstone(Map<String, ?> item) {
    return Boolean.TRUE.equals(item.get(DELETED));
  }

  /**
   * Value of {@value #PARTITION} for all values of the shard key; index views only.
   *
   * @throws LayoutException for documents, or another number of values
   */
  public String partition(List<?> shardKeyValues) {
    return indexKey().partition(shardKeyValues);
  }

  /**
   * What {@value #SORT} begins with in all rows with the given values of the first key fields after
   * the shard key; index views only.
   *
   * @throws LayoutException for documents, or too many values
   */
  public String sortPrefix(List<?> shardKeyValues, List<?> following) {
    return indexKey().sortPrefix(shardKeyValues, following);
  }

  /**
   * What {@value #SORT} begins with where the field after the leading ones begins with a text;
   * index views only.
   *
   * @param leading values of the shard key and of the fields that follow it, as many as are given
   * @throws LayoutException for documents, or if the field holds no text
   */
  public String sortPrefixOf(List<?> leading, String beginning) {
    return indexKey().sortPrefix(leading, beginning);
  }

  /**
   * A text that lies before {@value #SORT} of all rows whose field after the leading ones has a
   * value, and behind that of all lower values, or behind all of the value and before those of
   * higher ones; no row has it itself. Index views only.
   *
   * @throws LayoutException for documents, or if it is no value of the field
   */
  public String sortBound(List<?> leading, Object value, boolean behind) {
    return indexKey().sortBound(leading, value, behind);
  }

  /**
   * A text behind {@value #SORT} of all rows with the leading values and before that of any higher;
   * null: no other rows share their partition. Index views only.
   *
   * @throws LayoutException for documents
   */
  public String sortEnd(List<?> leading) {
    return indexKey().sortEnd(leading);
  }

  /**
   * The fields that a document's table, or one of its indexes, is keyed by: one or two.
   *
   * @param index null: the table
   * @throws LayoutException if there is no such index
   */
  public List<ViewFields.KeyField> keyFields(String index) {
    List<KeyAttribute> keys = new ArrayList<>();
    if (index == null) {
      keys.add(table.partitionKey());
      keys.add(table.sortKey());
    } else {
      Index found =
          table.indexes().stream()
              .filter(known -> known.name().equals(index))
              .findFirst()
              .orElseThrow(() -> new LayoutException(noIndex(index)));
      keys.add(found.partitionKey());
      keys.add(found.sortKey());
    }
    return keys.stream().filter(Objects::nonNull).map(key -> keyField(key.name())).toList();
  }

  private String noIndex(String index) {
    List<String> names = table.indexes().stream().map(Index::name).toList();
    return "view \"%s\" has no index \"%s\"; %s"
        .formatted(
            generation.view(),
            index,
            names.isEmpty() ? "it has none" : "it has " + String.join(", ", names));
  }

  private ViewFields.KeyField keyField(String attribute) {
    for (ViewFields.KeyField field : fields.key()) {
      if (field.name().equals(attribute)) {
        return field;
      }
    }
    for (ViewFields.ValueField field : fields.values()) {
      if (field.name().equals(attribute)) {
        FieldType type = FieldType.of(PlainValues.withoutNull(field.schema())).orElseThrow();
        return new ViewFields.KeyField(attribute, field.path(), type, false);
      }
    }
    return new ViewFields.KeyField(attribute, attribute, FieldType.STRING, false);
  }

  /**
   * A value as the attribute that a document's table or index is keyed by.
   *
   * @throws IllegalArgumentException if the store does not take it
   */
  public static Object keyAttribute(FieldType type, Object value) {
    return Attributes.ofKey(type, type.normalise(value));
  }

  /** Whether an item is of this generation, where generations may share the table. */
  public boolean holds(Map<String, ?> item) {
    return !inPlace
        || (item.get(GENERATION) instanceof Number number
            && number.intValue() == generation.number());
  }

  private IndexKey indexKey() {
    if (itemKey instanceof IndexKey key) {
      return key;
    }
    throw new LayoutException(
        "view \"%s\" is a document: query its own attributes".formatted(generation.view()));
  }

  /** Type of a key attribute. */
  public enum AttributeType {
    S,
    N
  }

  /** An attribute that a table or index is keyed by. */
  public record KeyAttribute(String name, AttributeType type) {}

  /**
   * A global secondary index with all attributes.
   *
   * @param sortKey null if there is none
   */
  public record Index(String name, KeyAttribute partitionKey, KeyAttribute sortKey) {}

  /**
   * The table of a generation.
   *
   * @param sortKey null if there is none
   */
  public record Table(
      String name, KeyAttribute partitionKey, KeyAttribute sortKey, List<Index> indexes) {
    public Table {
      indexes = List.copyOf(indexes);
    }

    /** The attributes that name an item. */
    public List<KeyAttribute> keys() {
      return sortKey == null ? List.of(partitionKey) : List.of(partitionKey, sortKey);
    }

    /** Whether the table or an index is keyed by the attribute. */
    public boolean isKey(String attribute) {
      return names(partitionKey, attribute)
          || names(sortKey, attribute)
          || indexes.stream()
              .anyMatch(
                  index -> names(index.partitionKey, attribute) || names(index.sortKey, attribute));
    }

    private static boolean names(KeyAttribute key, String attribute) {
      return key != null && key.name.equals(attribute);
    }
  }

  /** How the key fields of a row become the attributes of an item. */
  interface ItemKey {
    DynamoDbLayout.KeyAttribute partitionKey();

    /** Null if there is none. */
    DynamoDbLayout.KeyAttribute sortKey();

    /** The attributes that the table is keyed by, in a new map. */
    Map<String, Object> attributes(Function<String, ?> key);

    /** Adds the row key's other attributes. */
    void addRest(Map<String, Object> item, Function<String, ?> key);

    StoredRow row(Map<String, ?> item, Map<String, Object> values, long revision, boolean deleted);
  }
}
