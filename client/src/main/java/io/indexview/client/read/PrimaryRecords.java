package io.indexview.client.read;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.RecordSet;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.generic.GenericRecord;

/**
 * The primary records behind views, in the KV store; their primary keys are the texts of their key
 * paths. Thread-safe.
 */
public final class PrimaryRecords {
  private final KvStore store;
  private final Function<RecordSet, ValueConfig> values;
  private final SchemaRegistry registry;

  /**
   * @param store stays the caller's to close
   * @param values how those of a record set are written
   * @param registry whose ids values of the format {@code avro_registry} carry; stays the caller's
   *     to close
   */
  public PrimaryRecords(
      KvStore store, Function<RecordSet, ValueConfig> values, SchemaRegistry registry) {
    this.store = store;
    this.values = values;
    this.registry = registry;
  }

  /**
   * A reader for one page.
   *
   * @param absolute whether all acknowledged writes must be seen
   * @throws io.indexview.client.admin.PublishedValues.ValuesUnknownException if it is not known how
   *     the values of the record set are written
   */
  public Reader open(RecordSet recordSet, boolean absolute) {
    ValueDecoder decoder = ValueDecoder.of(values.apply(recordSet), registry, Time.SYSTEM);
    KvConsistency consistency = absolute ? KvConsistency.ABSOLUTE : KvConsistency.NONE;
    return primaryKey -> get(decoder, primaryKey, consistency);
  }

  private Optional<FetchedRecord> get(
      ValueDecoder decoder, String primaryKey, KvConsistency consistency)
      throws UndecodableException {
    KvKey key = KvKey.fromString(primaryKey);
    // The value of a large object is internal to the store.
    Optional<KvRecord> found =
        key.isLob()
            ? Optional.empty()
            : store.get(key, consistency).filter(record -> !record.tableRow());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    byte[] value = found.get().value();
    return Optional.of(new FetchedRecord(decoder.decode(value), value.length));
  }

  /**
   * A record as it was read.
   *
   * @param record of the schema that values of the record set are read with now
   * @param bytes that its value has in the store
   */
  public record FetchedRecord(GenericRecord record, int bytes) {}

  /** Reads records, for one thread. */
  @FunctionalInterface
  public interface Reader {
    /**
     * A record; empty: there is none.
     *
     * @throws UndecodableException if there is a value that is no such record
     * @throws IllegalArgumentException if a record with such a primary key is not held here
     */
    Optional<FetchedRecord> get(String primaryKey) throws UndecodableException;
  }
}
