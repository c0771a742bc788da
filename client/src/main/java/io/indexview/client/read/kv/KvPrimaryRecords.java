package io.indexview.client.read.kv;

import io.indexview.client.read.PrimaryRecords;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.RecordSet;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.generic.GenericRecord;

/** Primary records in the KV store, whose primary keys are the texts of their key paths. */
public final class KvPrimaryRecords implements PrimaryRecords {
  private final KvStore store;
  private final Function<RecordSet, ValueConfig> values;
  private final SchemaRegistry registry;

  /**
   * @param store stays the caller's to close
   * @param values how those of a record set are written
   * @param registry whose ids values of the format {@code avro_registry} carry; stays the caller's
   *     to close
   */
  public KvPrimaryRecords(
      KvStore store, Function<RecordSet, ValueConfig> values, SchemaRegistry registry) {
    this.store = store;
    this.values = values;
    this.registry = registry;
  }

  @Override
  public Reader open(RecordSet recordSet, boolean absolute) {
    ValueDecoder decoder = ValueDecoder.of(values.apply(recordSet), registry, Clock.systemUTC());
    KvConsistency consistency = absolute ? KvConsistency.ABSOLUTE : KvConsistency.NONE;
    return primaryKey -> get(decoder, primaryKey, consistency);
  }

  private Optional<GenericRecord> get(
      ValueDecoder decoder, String primaryKey, KvConsistency consistency)
      throws UndecodableException {
    KvKey key = KvKey.fromString(primaryKey);
    // The value of a large object is internal to the store.
    Optional<KvRecord> found =
        key.isLob()
            ? Optional.empty()
            : store.get(key, consistency).filter(record -> !record.tableRow());
    return found.isPresent() ? Optional.of(decoder.decode(found.get().value())) : Optional.empty();
  }
}
