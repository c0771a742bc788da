package io.indexview.dynamodb;

import io.indexview.dynamodb.ItemStore.ItemPage;
import java.util.Map;
import java.util.Objects;

/**
 * The items that share a partition key.
 *
 * @param index null: the table itself; an index is read as it is, whatever is asked
 * @param partitionKey name of the partition key's attribute
 * @param sort null: any sort key
 * @param absent only items without this attribute; null: all
 * @param limit items read for one page
 * @param start {@link ItemPage#next()} of the page before, or the key attributes of any item, there
 *     or not, of the table and the index; null for the first
 * @param consistent whether all acknowledged writes are seen
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
    Map<String, ?> start,
    boolean consistent) {
  public ItemQuery {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(partitionKey, "partitionKey");
    Objects.requireNonNull(partitionValue, "partitionValue");
    if (limit < 1) {
      throw new IllegalArgumentException("limit " + limit + " is below 1");
    }
  }

  /** A query of everything under one partition key, consistent, ascending, 100 items a page. */
  public static ItemQuery of(String table, String index, String partitionKey, Object value) {
    return new ItemQuery(table, index, partitionKey, value, null, true, null, 100, null, true);
  }

  public ItemQuery where(SortCondition condition) {
    return with(condition, ascending, absent, limit, start, consistent);
  }

  public ItemQuery descending() {
    return with(sort, false, absent, limit, start, consistent);
  }

  public ItemQuery without(String attribute) {
    return with(sort, ascending, attribute, limit, start, consistent);
  }

  public ItemQuery page(int items, Map<String, ?> from) {
    return with(sort, ascending, absent, items, from, consistent);
  }

  /** Returns a query that any replica may answer, at half the cost. */
  public ItemQuery eventual() {
    return with(sort, ascending, absent, limit, start, false);
  }

  private ItemQuery with(
      SortCondition newSort,
      boolean newAscending,
      String newAbsent,
      int newLimit,
      Map<String, ?> newStart,
      boolean newConsistent) {
    return new ItemQuery(
        table,
        index,
        partitionKey,
        partitionValue,
        newSort,
        newAscending,
        newAbsent,
        newLimit,
        newStart,
        newConsistent);
  }

  /** What a query asks of the sort key. */
  public sealed interface SortCondition {
    String attribute();

    record EqualTo(String attribute, Object value) implements SortCondition {}

    /** Matches strings and bytes that begin with a prefix. */
    record BeginsWith(String attribute, Object prefix) implements SortCondition {}

    /** Matches values from one bound to the other, both included; a bound that is null is open. */
    record Between(String attribute, Object from, Object to) implements SortCondition {
      public Between {
        if (from == null && to == null) {
          throw new IllegalArgumentException("between no bounds on " + attribute);
        }
      }
    }
  }
}
