package io.indexview.client.read.dynamodb;

import io.indexview.client.read.target.KeyQuery;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemQuery.SortCondition;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.util.List;
import java.util.Optional;

/** How the rows of a table are asked for, by the table's kind. Thread-safe. */
interface ItemAccess {
  /**
   * The fields that rows can be asked for by.
   *
   * @throws IllegalArgumentException if there is no such index
   */
  List<KeyField> fields(String index);

  /** How many of the first fields must have a value, so that the rows share a partition. */
  int inPartition();

  /**
   * The query for rows that share a partition; empty: the store can hold none.
   *
   * @throws IllegalArgumentException if the store does not take a value
   */
  Optional<ItemQuery> query(KeyQuery query, String index);

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

  /** Index views: the shard key's values are the partition key, the others begin the sort key. */
  final class IndexAccess implements ItemAccess {
    private final ViewGeneration generation;
    private final DynamoDbLayout layout;
    private final List<KeyField> fields;
    private final int inPartition;

    IndexAccess(ViewGeneration generation, DynamoDbLayout layout) {
      this.generation = generation;
      this.layout = layout;
      this.fields = generation.fields().key();
      this.inPartition = generation.definition().shardKeyLength();
    }

    @Override
    public List<KeyField> fields(String index) {
      if (index != null) {
        throw new IllegalArgumentException(
            "view \"%s\" is of kind index and has no index \"%s\""
                .formatted(generation.view(), index));
      }
      return fields;
    }

    @Override
    public int inPartition() {
      return inPartition;
    }

    @Override
    public Optional<ItemQuery> query(KeyQuery query, String index) {
      String partition = layout.partition(query.equal().subList(0, inPartition));
      ItemQuery all =
          ItemQuery.of(layout.table().name(), null, DynamoDbLayout.PARTITION, partition);
      if (query.prefix() != null) {
        String prefix = layout.sortPrefixOf(query.equal(), query.prefix());
        return Optional.of(
            prefix.isEmpty()
                ? all
                : all.where(new SortCondition.BeginsWith(DynamoDbLayout.SORT, prefix)));
      }
      String from =
          query.from() == null
              ? start(query.equal())
              : layout.sortBound(query.equal(), query.from().value(), !query.from().included());
      String to =
          query.to() == null
              ? layout.sortEnd(query.equal())
              : layout.sortBound(query.equal(), query.to().value(), query.to().included());
      return between(all, from.isEmpty() ? null : from, to);
    }

    private String start(List<Object> equal) {
      return layout.sortPrefix(
          equal.subList(0, inPartition), equal.subList(inPartition, equal.size()));
    }

    private static Optional<ItemQuery> between(ItemQuery all, String from, String to) {
      if (from == null && to == null) {
        return Optional.of(all);
      }
      // Nothing lies before an empty text, and the store takes none.
      return "".equals(to)
          ? Optional.empty()
          : Optional.of(all.where(new SortCondition.Between(DynamoDbLayout.SORT, from, to)));
    }
  }
}
