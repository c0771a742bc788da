package io.indexview.views.derive;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RecordDecoder.UnreadableFieldException;
import io.indexview.views.filter.RecordFilter;
import io.indexview.views.filter.RecordFilter.FilterException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * Derives the rows of one generation. The rows are a pure function of the record and its primary
 * key. Not thread-safe: each thread compiles its own.
 *
 * <p>An array in the key gives one row per element, equal elements one row together; without
 * elements it counts as one element that is null.
 */
public final class CompiledView {
  /** Largest row, key and value together, in bytes: below the broker's and producer's defaults. */
  public static final int DEFAULT_MAX_ROW_BYTES = 1_000_000;

  /**
   * All rows of a record together, in bytes: as much as the producer buffers. More take longer to
   * send than a transaction may.
   */
  static final int MAX_RECORD_BYTES = 32 << 20;

  private static final int FEW_ROWS = 16;

  private final ViewGeneration generation;
  private final RecordFilter filter;
  private final RowSchemas schemas;
  private final RowEncoder encoder;
  private final FieldAccess arrayAccess;
  private final int maxRows;
  private final RowLimits limits;

  /** See {@link SlicedRecord#bit}. */
  private final long fieldsRead;

  private final GenericDatumReader<GenericRecord> keyReader;
  private final GenericDatumReader<GenericRecord> valueReader;

  private CompiledView(ViewGeneration generation, Schema recordSchema, int maxRowBytes) {
    this.generation = generation;
    String where = generation.definition().where();
    this.filter = where == null ? null : RecordFilter.compile(where, recordSchema);
    ViewFields fields = generation.fields();
    this.schemas = RowSchemas.of(generation, fields);
    this.encoder = new RowEncoder(fields, recordSchema);
    this.arrayAccess = encoder.arrayAccess();
    this.maxRows = generation.definition().maxRowsPerRecord();
    this.keyReader = new GenericDatumReader<>(schemas.key());
    this.valueReader = new GenericDatumReader<>(schemas.value());
    this.limits = new RowLimits(this, maxRowBytes);
    this.fieldsRead =
        generation.fieldsRead().stream()
            .mapToLong(name -> SlicedRecord.bit(recordSchema.getField(name).pos()))
            .reduce(0, (some, other) -> some | other);
  }

  /**
   * Compiles a generation for rows of up to {@link #DEFAULT_MAX_ROW_BYTES}.
   *
   * @param recordSchema the schema of the records that {@link #rows} gets: the generation's record
   *     schema or a {@link RecordDecoder#projection} of it
   */
  public static CompiledView compile(ViewGeneration generation, Schema recordSchema) {
    return compile(generation, recordSchema, DEFAULT_MAX_ROW_BYTES);
  }

  /**
   * Compiles a generation.
   *
   * @param recordSchema the schema of the records that {@link #rows} gets: the generation's record
   *     schema or a {@link RecordDecoder#projection} of it
   * @param maxRowBytes what the view topic takes, key and value together
   */
  public static CompiledView compile(
      ViewGeneration generation, Schema recordSchema, int maxRowBytes) {
    return new CompiledView(generation, recordSchema, maxRowBytes);
  }

  public ViewGeneration generation() {
    return generation;
  }

  /** Schema of the row keys; carries the generation ({@link ViewGeneration#ofKeySchema}). */
  public Schema keySchema() {
    return schemas.key();
  }

  /** Schema of the row values, {@code _revision} last. */
  public Schema valueSchema() {
    return schemas.value();
  }

  /**
   * The rows of a record, each key once, in a fixed order; none if the filter does not match.
   *
   * @param record generic, logical types unconverted, as {@link RecordDecoder} gives it
   * @throws DerivationException if a row, all of them together or their number is too large, a
   *     value cannot be stored by the view's target, a field cannot be read, or the filter cannot
   *     tell whether the record matches
   */
  public List<ViewRow> rows(IndexedRecord record, String primaryKey) throws DerivationException {
    try {
      return matches(record) ? rowsOfMatch(record, primaryKey) : List.of();
    } catch (UnreadableFieldException e) {
      throw new DerivationException(e.getMessage(), e);
    }
  }

  /**
   * Whether two records have the same rows, as far as that is known without deriving them: all that
   * the view reads of them lies in the same bytes. If one cannot be derived, so is the other.
   *
   * @param before was decoded before the other, by the same decoder
   */
  public boolean hasSameRows(IndexedRecord before, IndexedRecord after) {
    return before instanceof SlicedRecord one
        && after instanceof SlicedRecord other
        && (other.changedFrom(one) & fieldsRead) == 0;
  }

  private List<ViewRow> rowsOfMatch(IndexedRecord record, String primaryKey)
      throws DerivationException {
    if (arrayAccess == null) {
      byte[] key = encoder.key(record, null, primaryKey);
      return key == null ? List.of() : List.of(row(key, encoder.value(record)));
    }
    Object array = arrayAccess.get(record);
    Collection<?> elements =
        array == null || ((Collection<?>) array).isEmpty()
            ? Collections.singletonList(null)
            : (Collection<?>) array;
    List<ViewRow> rows = new ArrayList<>(Math.min(elements.size(), FEW_ROWS));
    Set<ByteBuffer> many = null;
    byte[] value = null;
    long bytes = 0;
    for (Object element : elements) {
      byte[] key = encoder.key(record, element, primaryKey);
      if (key == null) {
        continue;
      }
      many = many == null && rows.size() == FEW_ROWS ? keys(rows) : many;
      boolean known = many == null ? contains(rows, key) : !many.add(ByteBuffer.wrap(key));
      if (known) {
        continue;
      }
      if (rows.size() == maxRows) {
        throw new DerivationException(
            "the record gives more than %d rows; raise maxRowsPerRecord or shorten \"%s\""
                .formatted(maxRows, generation.fields().array()));
      }
      value = value == null ? encoder.value(record) : value;
      bytes += key.length + value.length;
      if (bytes > MAX_RECORD_BYTES) {
        throw new DerivationException(
            "the rows of the record take more than %d bytes together; include fewer fields or shorten \"%s\""
                .formatted(MAX_RECORD_BYTES, generation.fields().array()));
      }
      rows.add(row(key, value));
    }
    return rows;
  }

  private boolean matches(IndexedRecord record) throws DerivationException {
    try {
      return filter == null || filter.matches(record);
    } catch (FilterException e) {
      throw new DerivationException("where: the expression " + e.getMessage(), e);
    }
  }

  private static boolean contains(List<ViewRow> rows, byte[] key) {
    for (ViewRow row : rows) {
      if (Arrays.equals(row.keyBody(), key)) {
        return true;
      }
    }
    return false;
  }

  private static Set<ByteBuffer> keys(List<ViewRow> rows) {
    Set<ByteBuffer> keys = new HashSet<>();
    rows.forEach(row -> keys.add(ByteBuffer.wrap(row.keyBody())));
    return keys;
  }

  private ViewRow row(byte[] key, byte[] value) throws DerivationException {
    ViewRow row = new ViewRow(key, value);
    limits.check(row);
    return row;
  }

  /**
   * Encodes the key of a row that was read back from a target, as {@link ViewRow#keyBody} has it.
   *
   * @param values of the key fields, normalised, by name
   * @throws IllegalArgumentException if they are no key of this view
   */
  public byte[] keyBody(Map<String, Object> values, String primaryKey) {
    return encoder.key(values, primaryKey);
  }

  /** Decodes a row's key. */
  public GenericRecord keyOf(ViewRow row) {
    return read(keyReader, row.keyBody(), 0);
  }

  /** Decodes a row's value, with the given revision. */
  public GenericRecord valueOf(ViewRow row, long revision) {
    return read(valueReader, row.value(0, revision), ViewRow.HEADER_BYTES);
  }

  private static GenericRecord read(
      GenericDatumReader<GenericRecord> reader, byte[] bytes, int offset) {
    try {
      return reader.read(
          null, DecoderFactory.get().binaryDecoder(bytes, offset, bytes.length - offset, null));
    } catch (IOException e) {
      throw new IllegalArgumentException("the row is not one of this view's", e);
    }
  }
}
