package io.indexview.client.read;

import io.indexview.client.read.PrimaryRecords.FetchedRecord;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.Nesting;
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
  private final Schema schema;
  private final PrimaryRecords.Reader records;
  private final KeyQuery query;
  private final Nesting nesting;
  private final CompiledView view;
  private final List<KeyField> keyFields;
  private final List<String> names;
  private Resolution resolution;
  private long bytes;
  private int gone;
  private int noLongerMatching;
  private int unreadable;

  /** Makes records of the generation's schema of those with another, as the streams app does. */
  private record Resolution(Schema written, ValueEncoder encoder, RecordDecoder decoder) {
    Resolution(Schema written, Schema wanted) {
      this(
          written,
          ValueEncoder.avro(written),
          new RecordDecoder(RecordFormat.FLAT, wanted, id -> written));
    }

    GenericRecord of(GenericRecord record) throws DerivationException {
      byte[] value = encoder.encode(record);
      return decoder.decode(new FramedValue(0, value, 0, value.length));
    }
  }

  /**
   * @param view of the generation, nobody else's meanwhile
   * @param query that the rows answer
   * @throws io.indexview.client.admin.PublishedValues.ValuesUnknownException if it is not known how
   *     the values of the records are written
   */
  RecordMatcher(CompiledView view, PrimaryRecords records, KeyQuery query, boolean absolute) {
    this.view = view;
    this.generation = view.generation();
    this.schema = generation.recordSet().schema();
    this.records = records.open(generation.recordSet(), absolute);
    this.query = query;
    this.nesting = new Nesting(schema);
    this.keyFields = generation.fields().key();
    this.names = query.fields().stream().map(KeyField::name).toList();
  }

  /**
   * The record behind a row; empty: it is gone, cannot be read, or no longer gives the row, which
   * is counted.
   *
   * @throws InvalidQueryException if the records of the view are not held where they are looked for
   */
  Optional<GenericRecord> fetch(StoredRow row) {
    try {
      Optional<FetchedRecord> found = records.get(row.primaryKey());
      if (found.isEmpty()) {
        gone++;
        return Optional.empty();
      }
      GenericRecord record = resolved(found.get().record());
      if (nesting.isTooDeep(record)) {
        unreadable++;
        return Optional.empty();
      }
      if (!gives(record, row)) {
        noLongerMatching++;
        return Optional.empty();
      }
      bytes += found.get().bytes();
      return Optional.of(record);
    } catch (UndecodableException | DerivationException e) {
      unreadable++;
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      throw new InvalidQueryException(
          generation.view(),
          List.of(
              "the primary records of record set \"%s\" cannot be fetched: %s"
                  .formatted(generation.recordSet().name(), e.getMessage())));
    }
  }

  /** What the records that were given take in the store. */
  long bytes() {
    return bytes;
  }

  /** What was fetched in vain. */
  RowPage.LeftOut leftOut() {
    return new RowPage.LeftOut(gone, noLongerMatching, unreadable);
  }

  private GenericRecord resolved(GenericRecord record) throws DerivationException {
    Schema written = record.getSchema();
    if (written.equals(schema)) {
      return record;
    }
    if (resolution == null || resolution.written() != written) {
      resolution = new Resolution(written, schema);
    }
    return resolution.of(record);
  }

  private boolean gives(GenericRecord record, StoredRow row) {
    try {
      for (ViewRow derived : view.rows(record, row.primaryKey())) {
        if (key(derived).equals(row.key()) && isAskedFor(derived, row)) {
          return true;
        }
      }
    } catch (DerivationException e) {
      // Such a record gives no rows; the streams app says so in its dead letters.
      return false;
    }
    return false;
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
