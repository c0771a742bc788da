package io.indexview.client.read;

import java.util.Optional;

/** The primary records behind views, as their store holds them. Thread-safe. */
@FunctionalInterface
public interface PrimaryRecords {
  /**
   * The bytes of a record, Avro binary of the record set's schema without any header; empty: there
   * is none.
   *
   * @param absolute whether all acknowledged writes must be seen
   * @throws IllegalArgumentException if a record with such a primary key is not held here
   */
  Optional<byte[]> get(String primaryKey, boolean absolute);
}
