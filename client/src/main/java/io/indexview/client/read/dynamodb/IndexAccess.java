package io.indexview.client.read.dynamodb;

import io.indexview.client.read.dynamodb.DynamoDbViewRows.ItemAccess;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemQuery.SortCondition;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.util.List;
import java.util.Optional;

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
    ItemQuery all = ItemQuery.of(layout.table().name(), null, DynamoDbLayout.PARTITION, partition);
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
