package io.indexview.client.read;

import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.views.definition.RecordSet;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/** The primary records behind views, as their store holds them. Thread-safe. */
@FunctionalInterface
public interface PrimaryRecords {
  /**
   * A reader for one page.
   *
   * @param absolute whether all acknowledged writes must be seen
   * @throws io.indexview.client.admin.PublishedValues.ValuesUnknownException if it is not known how
   *     the values of the record set are written
   */
  Reader open(RecordSet recordSet, boolean absolute);

  /** For one thread. */
  @FunctionalInterface
  interface Reader {
    /**
     * A record, of the schema that values of the record set are read with now; empty: there is
     * none.
     *
     * @throws UndecodableException if there is a value that is no such record
     * @throws IllegalArgumentException if a record with such a primary key is not held here
     */
    Optional<GenericRecord> get(String primaryKey) throws UndecodableException;
  }
}
