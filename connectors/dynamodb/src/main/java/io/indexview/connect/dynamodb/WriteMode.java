package io.indexview.connect.dynamodb;

/** How rows are written. */
public enum WriteMode {
  /** One request per row, which never replaces a row of a higher revision. */
  CONDITIONAL,
  /** Several rows per request, without conditions. */
  BATCH
}
