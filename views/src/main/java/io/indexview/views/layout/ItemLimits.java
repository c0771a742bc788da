package io.indexview.views.layout;

import java.util.List;
import java.util.Map;

/** What DynamoDB takes, checked before it refuses. */
final class ItemLimits {
  private static final int MAX_PARTITION_BYTES = 2048;
  private static final int MAX_SORT_BYTES = 1024;
  private static final int MAX_ITEM_BYTES = 400 * 1024;

  private final DynamoDbLayout.Table table;

  ItemLimits(DynamoDbLayout.Table table) {
    this.table = table;
  }

  void checkKey(Map<String, Object> item) {
    check(table.partitionKey(), item, MAX_PARTITION_BYTES);
    check(table.sortKey(), item, MAX_SORT_BYTES);
    for (DynamoDbLayout.KeyAttribute key :
        table.sortKey() == null
            ? List.of(table.partitionKey())
            : List.of(table.partitionKey(), table.sortKey())) {
      if ("".equals(item.get(key.name()))) {
        throw new LayoutException(
            "key attribute \"%s\" is empty text, which the store does not take"
                .formatted(key.name()));
      }
    }
  }

  void checkItem(Map<String, Object> item) {
    for (DynamoDbLayout.Index index : table.indexes()) {
      check(index.partitionKey(), item, MAX_PARTITION_BYTES);
      check(index.sortKey(), item, MAX_SORT_BYTES);
    }
    if (ItemSize.isAtMost(MAX_ITEM_BYTES, item)) {
      return;
    }
    long size = ItemSize.of(item);
    if (size > MAX_ITEM_BYTES) {
      throw new LayoutException(
          "the item takes %d bytes, the store takes %d; include fewer fields"
              .formatted(size, MAX_ITEM_BYTES));
    }
  }

  private static void check(
      DynamoDbLayout.KeyAttribute key, Map<String, Object> item, int maxBytes) {
    if (key == null
        || !(item.get(key.name()) instanceof String text)
        || ItemSize.isAtMost(maxBytes, text)) {
      return;
    }
    long size = ItemSize.of(text);
    if (size > maxBytes) {
      throw new LayoutException(
          "key attribute \"%s\" takes %d bytes, the store takes %d; index shorter fields"
              .formatted(key.name(), size, maxBytes));
    }
  }
}
