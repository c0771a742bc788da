package io.indexview.views.derive;

import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;

/**
 * Derives the rows of one generation. The rows are a pure function of the record and its primary
 * key. Not thread-safe: each thread compiles its own.
 */
public final class CompiledView {
  /** Largest row, key and value together, in bytes: below the broker's and producer's defaults. */
  public static final int DEFAULT_MAX_ROW_BYTES = 1_000_000;

  /**
   * @param recordSchema the schema of the records that {@link #rows} gets: the generation's record
   *     schema or a {@link Projection} of it
   */
  public static CompiledView compile(ViewGeneration generation, Schema recordSchema) {
    return compile(generation, recordSchema, DEFAULT_MAX_ROW_BYTES);
  }

  public static CompiledView compile(
      ViewGeneration generation, Schema recordSchema, int maxRowBytes) {
    throw new IllegalStateException("not built yet");
  }

  public ViewGeneration generation() {
    throw new IllegalStateException("not built yet");
  }

  /** Schema of the row keys; carries the generation ({@link ViewGeneration#ofKeySchema}). */
  public Schema keySchema() {
    throw new IllegalStateException("not built yet");
  }

  /** Schema of the row values, {@code _revision} last. */
  public Schema valueSchema() {
    throw new IllegalStateException("not built yet");
  }

  /**
   * The rows of a record, each key once, in a fixed order.
   *
   * @throws DerivationException if a row or the number of rows is too large, or a value cannot be
   *     stored by the view's target
   */
  public List<ViewRow> rows(IndexedRecord record, String primaryKey) throws DerivationException {
    throw new IllegalStateException("not built yet");
  }

  /** Decodes a row's key. */
  public GenericRecord keyOf(ViewRow row) {
    throw new IllegalStateException("not built yet");
  }

  /** Decodes a row's value, with the given revision. */
  public GenericRecord valueOf(ViewRow row, long revision) {
    throw new IllegalStateException("not built yet");
  }
}
