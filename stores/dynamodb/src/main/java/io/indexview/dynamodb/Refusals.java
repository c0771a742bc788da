package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/**
 * Reads refusals of conditional writes. DynamoDB Local, with many requests at a time, was seen to
 * refuse a write with another key's item; taken at its word that loses a row.
 */
final class Refusals {
  private Refusals() {}

  /**
   * @throws ItemStoreException.Unavailable if the refusal cannot be about this write
   */
  static WriteResult result(
      String table,
      Map<String, ?> key,
      WriteCondition condition,
      ConditionalCheckFailedException refusal) {
    Map<String, Object> existing = Attributes.toItem(refusal.item());
    if (!existing.isEmpty() && !hasKey(existing, key)) {
      throw contradiction(table, "names the item of another key", refusal);
    }
    if (condition.holds(existing)) {
      String what = existing.isEmpty() ? "names no item" : "names an item that allows it";
      throw contradiction(table, what, refusal);
    }
    return new WriteResult(existing);
  }

  private static ItemStoreException contradiction(
      String table, String what, ConditionalCheckFailedException refusal) {
    return new ItemStoreException.Unavailable(
        "table %s: the store refused a write by its condition, but %s".formatted(table, what),
        refusal);
  }

  private static boolean hasKey(Map<String, Object> item, Map<String, ?> key) {
    return Attributes.toItem(Attributes.of(key)).entrySet().stream()
        .allMatch(attribute -> isSame(attribute.getValue(), item.get(attribute.getKey())));
  }

  private static boolean isSame(Object value, Object other) {
    if (value instanceof BigDecimal number) {
      return other instanceof BigDecimal second && number.compareTo(second) == 0;
    }
    if (value instanceof byte[] bytes) {
      return other instanceof byte[] second && Arrays.equals(bytes, second);
    }
    return value.equals(other);
  }
}
