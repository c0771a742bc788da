package io.indexview.client.read;

import io.indexview.client.read.target.KeyQuery;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.RecordDecoder;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.StoredRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * Fetches the records behind rows, and tells whether a record still gives its row. For one thread.
 */
final class RecordMatcher {
  private final ViewGeneration generation;
  private final PrimaryRecords records;
  private final KeyQuery query;
  private final boolean absolute;
  private final RecordDecoder decoder;
  private final CompiledView view;
  private final List<KeyField> keyFields;
  private final List<String> names;

  /**
   * @param query that the rows answer
   */
  RecordMatcher(
      ViewGeneration generation, PrimaryRecords records, KeyQuery query, boolean absolute) {
    Schema schema = generation.recordSet().schema();
    this.generation = generation;
    this.records = records;
    this.query = query;
    this.absolute = absolute;
    this.decoder = new RecordDecoder(RecordFormat.FLAT, schema, id -> schema);
    this.view = CompiledView.compile(generation, schema);
    this.keyFields = generation.fields().key();
    this.names = query.fields().stream().map(KeyField::name).toList();
  }

  /**
   * The record behind a row; empty: it is gone, cannot be read, or no longer gives the row.
   *
   * @throws InvalidQueryException if the records of the view are not held where they are looked for
   */
  Optional<GenericRecord> fetch(StoredRow row) {
    Optional<byte[]> bytes;
    try {
      bytes = records.get(row.primaryKey(), absolute);
    } catch (IllegalArgumentException e) {
      throw new InvalidQueryException(
          generation.view(),
          List.of(
              "the primary records of record set \"%s\" cannot be fetched: %s"
                  .formatted(generation.recordSet().name(), e.getMessage())));
    }
    return bytes.flatMap(value -> matching(value, row));
  }

  private Optional<GenericRecord> matching(byte[] value, StoredRow row) {
    try {
      GenericRecord record = decoder.decode(new FramedValue(0, value, 0, value.length));
      for (ViewRow derived : view.rows(record, row.primaryKey())) {
        if (key(derived).equals(row.key()) && isAskedFor(derived, row)) {
          return Optional.of(record);
        }
      }
    } catch (DerivationException e) {
      // Such a record gives no rows; the streams app says so in its dead letters.
      return Optional.empty();
    }
    return Optional.empty();
  }

  private Map<String, Object> key(ViewRow row) {
    GenericRecord key = view.keyOf(row);
    Map<String, Object> values = new LinkedHashMap<>();
    for (KeyField field : keyFields) {
      values.put(field.name(), field.type().normalise(key.get(field.name())));
    }
    return values;
  }

  /** A document is found by other fields than its key's, too. */
  private boolean isAskedFor(ViewRow derived, StoredRow row) {
    if (row.key().keySet().containsAll(names)) {
      return true;
    }
    GenericRecord values = view.valueOf(derived, 0);
    return query.matches(
        field -> {
          if (field.name().equals(ViewFields.PRIMARY_KEY)) {
            return row.primaryKey();
          }
          return row.key().containsKey(field.name())
              ? row.key().get(field.name())
              : field.type().normalise(values.get(field.name()));
        });
  }
}
