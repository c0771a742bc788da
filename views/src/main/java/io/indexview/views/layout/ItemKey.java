package io.indexview.views.layout;

import java.util.Map;
import java.util.function.Function;

/** How the key fields of a row become the attributes of an item. */
interface ItemKey {
  DynamoDbLayout.KeyAttribute partitionKey();

  /** Null if there is none. */
  DynamoDbLayout.KeyAttribute sortKey();

  /** The attributes that the table is keyed by, in a new map. */
  Map<String, Object> attributes(Function<String, ?> key);

  /** Adds the row key's other attributes. */
  void addRest(Map<String, Object> item, Function<String, ?> key);

  StoredRow row(Map<String, ?> item, Map<String, Object> values, long revision, boolean deleted);
}
