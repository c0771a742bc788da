package io.indexview.dynamodb;

/** What a query asks of the sort key. */
public sealed interface SortCondition {
  String attribute();

  record EqualTo(String attribute, Object value) implements SortCondition {}

  /** For strings and bytes only. */
  record BeginsWith(String attribute, Object prefix) implements SortCondition {}

  /** Both ends included. */
  record Between(String attribute, Object from, Object to) implements SortCondition {}
}
