package io.indexview.views.layout;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What DynamoDB takes, checked before it refuses. */
final class ItemLimits {
  private static final int MAX_PARTITION_BYTES = 2048;
  private static final int MAX_SORT_BYTES = 1024;
  private static final int MAX_ITEM_BYTES = 400 * 1024;
  private static final int NUMBER_BYTES = 21;
  private static final int NESTED_BYTES = 3;

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
    long size = size(item);
    if (size > MAX_ITEM_BYTES) {
      throw new LayoutException(
          "the item takes %d bytes, the store takes %d; include fewer fields"
              .formatted(size, MAX_ITEM_BYTES));
    }
  }

  private static void check(
      DynamoDbLayout.KeyAttribute key, Map<String, Object> item, int maxBytes) {
    if (key == null || !(item.get(key.name()) instanceof String text)) {
      return;
    }
    long size = size(text);
    if (size > maxBytes) {
      throw new LayoutException(
          "key attribute \"%s\" takes %d bytes, the store takes %d; index shorter fields"
              .formatted(key.name(), size, maxBytes));
    }
  }

  private static long size(Object value) {
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    } else if (value instanceof byte[] bytes) {
      return bytes.length;
    } else if (value instanceof Number) {
      return NUMBER_BYTES;
    } else if (value instanceof List<?> list) {
      return NESTED_BYTES + list.stream().mapToLong(element -> 1 + size(element)).sum();
    } else if (value instanceof Map<?, ?> map) {
      return NESTED_BYTES
          + map.entrySet().stream()
              .mapToLong(entry -> 1 + size(entry.getKey()) + size(entry.getValue()))
              .sum();
    }
    return 1;
  }
}
