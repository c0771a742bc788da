package io.indexview.client.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Which rows of a view, and in which order. Fields are given by their name in the row or by their
 * path in the record; together they are a leading run of the view's key fields. Values are given as
 * text or as the field's Java type; whether they fit is seen when the view is read.
 *
 * @param equal the first key fields, in any order
 * @param condition on the key field that follows; null: none
 * @param limit rows of a page at most; a page of large ones has fewer
 * @param pageToken {@link RowPage#next} of the page before; null for the first
 * @param index of a DynamoDB document view, whose key is then meant; null: the view's own key
 */
public record ViewQuery(
    String view,
    List<Equality> equal,
    Condition condition,
    boolean descending,
    int limit,
    String pageToken,
    String index) {
  public static final int DEFAULT_LIMIT = 100;

  public ViewQuery {
    Objects.requireNonNull(view, "view");
    equal = List.copyOf(equal);
  }

  /**
   * A field that has a value.
   *
   * @param value null: the field is null
   */
  public record Equality(String field, Object value) {
    public Equality {
      Objects.requireNonNull(field, "field");
    }
  }

  /** What is asked of the field after those that have a value. */
  public sealed interface Condition {
    /** Null: whichever field it is. */
    String field();
  }

  /**
   * Values between two bounds; null is between no bounds.
   *
   * @param from null: open
   * @param to null: open
   */
  public record Range(
      String field, Object from, boolean fromIncluded, Object to, boolean toIncluded)
      implements Condition {
    /** Returns a range that includes both bounds. */
    public static Range between(String field, Object from, Object to) {
      return new Range(field, from, true, to, true);
    }
  }

  /** Texts that begin with a text. */
  public record Prefix(String field, String prefix) implements Condition {
    public Prefix {
      Objects.requireNonNull(prefix, "prefix");
    }
  }

  /** All rows of a view, ascending, {@value #DEFAULT_LIMIT} a page. */
  public static ViewQuery of(String view) {
    return new ViewQuery(view, List.of(), null, false, DEFAULT_LIMIT, null, null);
  }

  /** Returns the query, limited to rows whose field has a value; see {@link Equality}. */
  public ViewQuery where(String field, Object value) {
    List<Equality> longer = new ArrayList<>(equal);
    longer.add(new Equality(field, value));
    return new ViewQuery(view, longer, condition, descending, limit, pageToken, index);
  }

  /** Only rows whose next field fulfils a condition, in place of any given before. */
  public ViewQuery where(Condition newCondition) {
    return new ViewQuery(view, equal, newCondition, descending, limit, pageToken, index);
  }

  public ViewQuery inDescendingOrder() {
    return new ViewQuery(view, equal, condition, true, limit, pageToken, index);
  }

  public ViewQuery withLimit(int rows) {
    return new ViewQuery(view, equal, condition, descending, rows, pageToken, index);
  }

  /**
   * Returns the query from a page on.
   *
   * @param token {@link RowPage#next} of the page before; null for the first
   */
  public ViewQuery from(String token) {
    return new ViewQuery(view, equal, condition, descending, limit, token, index);
  }

  /** Returns the query by an index of a DynamoDB document view. */
  public ViewQuery by(String indexName) {
    return new ViewQuery(view, equal, condition, descending, limit, pageToken, indexName);
  }
}
