package io.indexview.dynamodb;

import io.indexview.dynamodb.ItemStore.WriteResult;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/**
 * Reads the refusals of one conditional write. DynamoDB Local, with many requests at a time, was
 * seen to refuse a write with another key's item; taken at its word that loses a row. Other stores
 * of the same API name no item at all.
 */
record Refusals(String table, Map<String, ?> key, WriteCondition condition) {

  /**
   * What a refusal says, or else the item that is there. Completes with {@link
   * ItemStoreException.Unavailable} if that allows the write.
   *
   * @param read reads the item of the write's key, consistently
   */
  CompletableFuture<WriteResult> result(
      ConditionalCheckFailedException refusal,
      Supplier<CompletableFuture<Optional<Map<String, Object>>>> read) {
    Map<String, Object> named = Attributes.toItem(refusal.item());
    return hasKey(named)
        ? CompletableFuture.completedFuture(heldOffBy(named, refusal))
        : read.get().thenApply(own -> heldOffBy(own.orElse(Map.of()), refusal));
  }

  private WriteResult heldOffBy(
      Map<String, Object> existing, ConditionalCheckFailedException refusal) {
    if (condition.holds(existing)) {
      throw new ItemStoreException.Unavailable(
          "table %s: the store refused a write by its condition, but there is %s"
              .formatted(table, existing.isEmpty() ? "no item" : "an item that allows it"),
          refusal);
    }
    return WriteResult.heldOffBy(existing);
  }

  private boolean hasKey(Map<String, Object> item) {
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
