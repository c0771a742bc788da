package io.indexview.schemas.change;

/** How the values of a primary-change topic are laid out. */
public enum RecordFormat {
  /** The envelope with Debezium's field names, with or without our {@code source.order}. */
  ENVELOPE,
  /** The value is the record, null is a delete. */
  FLAT
}
