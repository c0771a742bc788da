package io.indexview.connect.kvstore.config;

/** How rows are written. */
public enum WriteMode {
  /** Whatever comes last stays. */
  OVERWRITE,
  /** A write never replaces a row of a higher revision, and a deleted row leaves a tombstone. */
  CONDITIONAL
}
