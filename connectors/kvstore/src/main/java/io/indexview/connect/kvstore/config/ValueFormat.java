package io.indexview.connect.kvstore.config;

/** How the values of a record set are written in the store. */
public enum ValueFormat {
  /** Avro binary of the record schema, without any header. */
  AVRO
}
