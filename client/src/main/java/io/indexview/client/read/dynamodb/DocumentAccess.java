package io.indexview.client.read.dynamodb;

import io.indexview.client.read.dynamodb.DynamoDbViewRows.ItemAccess;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemQuery.SortCondition;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.layout.DynamoDbLayout;
import java.util.List;
import java.util.Optional;

/**
 * Documents: the table and its indexes are keyed by the fields themselves. The store knows bounds
 * that are included only, so the query may give rows that lie on an excluded one.
 */
final class DocumentAccess implements ItemAccess {
  private final DynamoDbLayout layout;

  DocumentAccess(DynamoDbLayout layout) {
    this.layout = layout;
  }

  @Override
  public List<KeyField> fields(String index) {
    return layout.keyFields(index);
  }

  @Override
  public int inPartition() {
    return 1;
  }

  @Override
  public Optional<ItemQuery> query(KeyQuery query, String index) {
    KeyField partition = query.fields().get(0);
    Object value = attribute(partition, query.equal().get(0));
    if ("".equals(value)) {
      return Optional.empty();
    }
    ItemQuery all = ItemQuery.of(layout.table().name(), index, partition.name(), value);
    if (query.equal().size() == 2) {
      KeyField sort = query.fields().get(1);
      Object equal = attribute(sort, query.equal().get(1));
      return "".equals(equal)
          ? Optional.empty()
          : Optional.of(all.where(new SortCondition.EqualTo(sort.name(), equal)));
    }
    return query.asksNext() ? next(all, query) : Optional.of(all);
  }

  private static Optional<ItemQuery> next(ItemQuery all, KeyQuery query) {
    KeyField sort = query.next();
    if (query.prefix() != null) {
      return Optional.of(
          query.prefix().isEmpty()
              ? all
              : all.where(new SortCondition.BeginsWith(sort.name(), query.prefix())));
    }
    Object from = query.from() == null ? null : attribute(sort, query.from().value());
    Object to = query.to() == null ? null : attribute(sort, query.to().value());
    if ("".equals(to)) {
      return Optional.empty();
    }
    Object lowest = "".equals(from) ? null : from;
    return Optional.of(
        lowest == null && to == null
            ? all
            : all.where(new SortCondition.Between(sort.name(), lowest, to)));
  }

  private static Object attribute(KeyField field, Object value) {
    return DynamoDbLayout.keyAttribute(field.type(), value);
  }
}
