package io.indexview.dynamodb;

import java.util.Map;
import java.util.Objects;

/**
 * The items that share a partition key.
 *
 * @param index null: the table itself, read consistently; an index is read as it is
 * @param partitionKey name of the partition key's attribute
 * @param sort null: any sort key
 * @param absent only items without this attribute; null: all
 * @param limit items looked at for one page
 * @param start {@link ItemPage#next()} of the page before; null for the first
 */
public record ItemQuery(
    String table,
    String index,
    String partitionKey,
    Object partitionValue,
    SortCondition sort,
    boolean ascending,
    String absent,
    int limit,
    Map<String, ?> start) {
  public ItemQuery {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(partitionKey, "partitionKey");
    Objects.requireNonNull(partitionValue, "partitionValue");
    if (limit < 1) {
      throw new IllegalArgumentException("limit " + limit + " is below 1");
    }
  }

  /** A query of everything under one partition key, ascending, 100 items a page. */
  public static ItemQuery of(String table, String index, String partitionKey, Object value) {
    return new ItemQuery(table, index, partitionKey, value, null, true, null, 100, null);
  }

  public ItemQuery where(SortCondition condition) {
    return new ItemQuery(
        table, index, partitionKey, partitionValue, condition, ascending, absent, limit, start);
  }

  public ItemQuery descending() {
    return new ItemQuery(
        table, index, partitionKey, partitionValue, sort, false, absent, limit, start);
  }

  public ItemQuery without(String attribute) {
    return new ItemQuery(
        table, index, partitionKey, partitionValue, sort, ascending, attribute, limit, start);
  }

  public ItemQuery page(int items, Map<String, ?> from) {
    return new ItemQuery(
        table, index, partitionKey, partitionValue, sort, ascending, absent, items, from);
  }
}
