package io.indexview.dynamodb;

/** What a query asks of the sort key. */
public sealed interface SortCondition {
  String attribute();

  record EqualTo(String attribute, Object value) implements SortCondition {}

  /** For strings and bytes only. */
  record BeginsWith(String attribute, Object prefix) implements SortCondition {}

  /** Both ends included; one of them may be null: open. */
  record Between(String attribute, Object from, Object to) implements SortCondition {
    public Between {
      if (from == null && to == null) {
        throw new IllegalArgumentException("between no bounds on " + attribute);
      }
    }
  }
}
