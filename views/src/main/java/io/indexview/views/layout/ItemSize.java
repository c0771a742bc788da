package io.indexview.views.layout;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Bytes that items take in DynamoDB, by the service's own rule ("DynamoDB item sizes and formats").
 * It calls the size of numbers approximate; here it is the least, so that what is too large by this
 * is too large for the service, and what is at the border is left to it.
 */
public final class ItemSize {
  private static final int MAX_NUMBER_BYTES = 21;
  private static final int NESTED = 3;
  private static final int MAX_CHARACTER_BYTES = 3;

  private ItemSize() {}

  /** Size of all attributes, with their names. */
  public static long of(Map<String, ?> item) {
    return item.entrySet().stream()
        .mapToLong(attribute -> of(attribute.getKey()) + value(attribute.getValue()))
        .sum();
  }

  static long of(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static long value(Object value) {
    if (value instanceof String text) {
      return of(text);
    } else if (value instanceof byte[] bytes) {
      return bytes.length;
    } else if (value instanceof Number number) {
      return number(new BigDecimal(number.toString()));
    } else if (value instanceof List<?> list) {
      return NESTED + list.stream().mapToLong(element -> 1 + value(element)).sum();
    } else if (value instanceof Map<?, ?> map) {
      return NESTED
          + map.entrySet().stream()
              .mapToLong(entry -> 1 + of(entry.getKey().toString()) + value(entry.getValue()))
              .sum();
    }
    return 1;
  }

  private static long number(BigDecimal number) {
    int digits = number.signum() == 0 ? 0 : number.stripTrailingZeros().precision();
    return 1 + (digits + 1L) / 2;
  }

  /** No less than the size, and cheaper: a character counts as three bytes, a number as 21. */
  public static long atMost(Map<String, ?> item) {
    return valueAtMost(item);
  }

  /** Cheaper than the size, and true of most; not of all that is. */
  static boolean isAtMost(long max, Map<String, ?> item) {
    return atMost(item) <= max;
  }

  static boolean isAtMost(long max, String text) {
    return valueAtMost(text) <= max;
  }

  private static long valueAtMost(Object value) {
    if (value instanceof String text) {
      return (long) MAX_CHARACTER_BYTES * text.length();
    } else if (value instanceof byte[] bytes) {
      return bytes.length;
    } else if (value instanceof List<?> list) {
      long sum = NESTED;
      for (Object element : list) {
        sum += 1 + valueAtMost(element);
      }
      return sum;
    } else if (value instanceof Map<?, ?> map) {
      long sum = NESTED;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        sum += 1 + valueAtMost(entry.getKey()) + valueAtMost(entry.getValue());
      }
      return sum;
    }
    return MAX_NUMBER_BYTES;
  }

  /** What DynamoDB takes, checked before it refuses. */
  static final class ItemLimits {
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
}
