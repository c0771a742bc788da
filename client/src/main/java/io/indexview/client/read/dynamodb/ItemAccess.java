package io.indexview.client.read.dynamodb;

import io.indexview.client.read.target.KeyQuery;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.views.definition.ViewFields.KeyField;
import java.util.List;
import java.util.Optional;

/** How the rows of a table are asked for, by the table's kind. Thread-safe. */
interface ItemAccess {
  /**
   * The fields that rows can be asked for by.
   *
   * @throws IllegalArgumentException if there is no such index
   */
  List<KeyField> fields(String index);

  /** How many of the first fields must have a value, so that the rows share a partition. */
  int inPartition();

  /**
   * The query for rows that share a partition; empty: the store can hold none.
   *
   * @throws IllegalArgumentException if the store does not take a value
   */
  Optional<ItemQuery> query(KeyQuery query, String index);
}
