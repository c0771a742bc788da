package io.indexview.views.layout;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.DynamoDbLayout.ItemKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** Keys of documents: their own fields, or the primary key. */
final class DocumentKey implements ItemKey {
  private static final DynamoDbLayout.KeyAttribute PRIMARY_KEY =
      new DynamoDbLayout.KeyAttribute(ViewFields.PRIMARY_KEY, DynamoDbLayout.AttributeType.S);

  private final List<ViewFields.KeyField> fields;
  private final List<DynamoDbLayout.KeyAttribute> attributes;

  DocumentKey(ViewFields fields) {
    this.fields = fields.key();
    this.attributes =
        this.fields.isEmpty()
            ? List.of(PRIMARY_KEY)
            : this.fields.stream().map(field -> Attributes.key(fields, field.path())).toList();
  }

  @Override
  public DynamoDbLayout.KeyAttribute partitionKey() {
    return attributes.get(0);
  }

  @Override
  public DynamoDbLayout.KeyAttribute sortKey() {
    return attributes.size() > 1 ? attributes.get(1) : null;
  }

  @Override
  public Map<String, Object> attributes(Function<String, ?> key) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (ViewFields.KeyField field : fields) {
      try {
        Object plain = field.type().normalise(key.apply(field.name()));
        values.put(field.name(), Attributes.ofKey(field.type(), plain));
      } catch (IllegalArgumentException e) {
        throw new LayoutException(
            "key field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    if (fields.isEmpty()) {
      values.put(ViewFields.PRIMARY_KEY, RowKey.primaryKey(key));
    }
    return values;
  }

  @Override
  public void addRest(Map<String, Object> item, Function<String, ?> key) {
    item.put(ViewFields.PRIMARY_KEY, RowKey.primaryKey(key));
  }

  @Override
  public StoredRow row(
      Map<String, ?> item, Map<String, Object> values, long revision, boolean deleted) {
    if (!(item.get(ViewFields.PRIMARY_KEY) instanceof String primaryKey)) {
      throw new LayoutException(
          "an item without the text \"%s\"".formatted(ViewFields.PRIMARY_KEY));
    }
    Map<String, Object> key = new LinkedHashMap<>();
    for (ViewFields.KeyField field : fields) {
      key.put(field.name(), Attributes.parse(field.name(), field.type(), item.get(field.name())));
    }
    return new StoredRow(key, primaryKey, values, OptionalLong.of(revision), deleted);
  }
}
