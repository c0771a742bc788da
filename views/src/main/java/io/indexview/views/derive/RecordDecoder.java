package io.indexview.views.derive;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.Nesting;
import io.indexview.views.definition.RecordEvolution;
import io.indexview.views.definition.RecordEvolution.Gap;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/**
 * Decodes primary records, once for all views that read them with one schema. Not thread-safe: each
 * thread has its own.
 *
 * <p>The name of the record type does not count: what a topic holds are records of its record set.
 */
public final class RecordDecoder {
  private static final String AFTER = "after";

  private final RecordFormat format;
  private final Schema readerSchema;
  private final Nesting nesting;
  private final IntFunction<Schema> writerSchemas;
  private final GenericData data = new GenericData();
  private final Map<Integer, Writer> writers = new HashMap<>();
  private BinaryDecoder decoder;

  private interface Reader {
    GenericRecord read(BinaryDecoder in, FramedValue value) throws IOException;
  }

  /**
   * How records of one schema id are read.
   *
   * @param gaps fields that they do not give, or not all of them
   * @param others reads all other fields; null if there are no gaps
   * @param misreads whether the reader gives values that were not written
   */
  private record Writer(Reader reader, List<Gap> gaps, Reader others, boolean misreads) {
    Writer(Reader reader, List<Gap> gaps, Reader others) {
      this(reader, gaps, others, gaps.stream().anyMatch(Gap::misread));
    }
  }

  /**
   * Creates a decoder.
   *
   * @param readerSchema what records are resolved to, usually a {@link #projection}
   * @param writerSchemas schema of a registry id; whatever it throws passes through {@link #decode}
   */
  public RecordDecoder(
      RecordFormat format, Schema readerSchema, IntFunction<Schema> writerSchemas) {
    this.format = format;
    this.readerSchema = readerSchema;
    this.nesting = new Nesting(readerSchema);
    this.writerSchemas = writerSchemas;
  }

  /**
   * The record schema with only those top-level fields that one of the views reads.
   *
   * @param generations of one record set, with this record schema
   */
  public static Schema projection(Schema recordSchema, Collection<ViewGeneration> generations) {
    Set<String> needed = new HashSet<>();
    generations.forEach(generation -> needed.addAll(generation.fieldsRead()));
    return Schema.createRecord(
        recordSchema.getName(),
        recordSchema.getDoc(),
        recordSchema.getNamespace(),
        recordSchema.isError(),
        recordSchema.getFields().stream()
            .filter(field -> needed.contains(field.name()))
            .map(field -> new Schema.Field(field, field.schema()))
            .toList());
  }

  /**
   * Decodes one record, a new one on each call, which keeps nothing of the bytes.
   *
   * @param value the record's bytes alone, without the union branch of an envelope's {@code after}
   * @throws DerivationException if the bytes are no record of the writer's schema, or the writer's
   *     schema cannot be read with the reader's
   */
  public GenericRecord decode(FramedValue value) throws DerivationException {
    int id = value.schemaId();
    Writer writer = writer(id);
    if (writer.misreads()) {
      throw gaps(id, writer, null);
    }
    try {
      GenericRecord record = read(writer.reader(), value);
      return record instanceof SlicedRecord sliced ? sliced.toRecord() : record;
    } catch (IOException | RuntimeException e) {
      // Bytes that do not fit the schema make Avro fail in any way.
      throw writer.gaps().isEmpty() ? noRecord(id, e) : gaps(id, writer, e);
    }
  }

  private static DerivationException gaps(int id, Writer writer, Exception cause) {
    return new DerivationException(
        writer.gaps().stream()
            .map(gap -> PartialRecord.reason(id, gap))
            .collect(Collectors.joining("; ")),
        cause);
  }

  /**
   * Decodes one record for {@link CompiledView#rows}, a new one on each call. If it has fields that
   * cannot be read as the reader's, no rows are derived by those views that ask for them; others do
   * not notice. The record may keep the bytes, cannot be changed or copied, and is used by one
   * thread.
   *
   * @param value as for {@link #decode}; its bytes do not change as long as the record is used
   * @throws DerivationException if the bytes are no record of the writer's schema
   */
  public GenericRecord decodeForViews(FramedValue value) throws DerivationException {
    int id = value.schemaId();
    Writer writer = writer(id);
    try {
      if (!writer.misreads()) {
        return read(writer.reader(), value);
      }
    } catch (IOException | RuntimeException e) {
      if (writer.gaps().isEmpty()) {
        throw noRecord(id, e);
      }
    }
    try {
      GenericRecord others = read(writer.others(), value);
      return new PartialRecord(readerSchema, others, writer.gaps(), id);
    } catch (IOException | RuntimeException e) {
      throw noRecord(id, e);
    }
  }

  private GenericRecord read(Reader reader, FramedValue value) throws IOException {
    decoder =
        DecoderFactory.get().binaryDecoder(value.buffer(), value.offset(), value.length(), decoder);
    GenericRecord record;
    try {
      record = reader.read(decoder, value);
    } catch (StackOverflowError e) {
      throw new IOException("it is nested too deeply", e);
    }
    if (!decoder.isEnd()) {
      throw new IOException("bytes are left over");
    }
    if (nesting.isTooDeep(record)) {
      throw new IOException("it nests more than %d levels deep".formatted(Nesting.MAX_LEVELS));
    }
    return record;
  }

  private DerivationException noRecord(int id, Exception cause) {
    return new DerivationException(
        "the value is no record of schema id %d that can be read as %s: %s"
            .formatted(id, readerSchema.getFullName(), cause.getMessage()),
        cause);
  }

  private Writer writer(int id) throws DerivationException {
    Writer writer = writers.get(id);
    if (writer == null) {
      writer = writer(id, writerSchemas.apply(id));
      writers.put(id, writer);
    }
    return writer;
  }

  private Writer writer(int id, Schema framing) throws DerivationException {
    Schema schema = format == RecordFormat.ENVELOPE ? after(id, framing) : framing;
    if (schema.getType() != Schema.Type.RECORD) {
      throw new DerivationException(
          "schema id %d is of type %s; a record is needed"
              .formatted(id, schema.getType().getName()));
    }
    List<Gap> gaps = RecordEvolution.gaps(schema, readerSchema, field -> true);
    Set<String> missing = gaps.stream().map(Gap::field).collect(Collectors.toSet());
    return new Writer(
        reader(schema, field -> true),
        gaps,
        gaps.isEmpty() ? null : reader(schema, field -> !missing.contains(field)));
  }

  private Reader reader(Schema writer, Predicate<String> wanted) {
    Schema reader = RecordEvolution.readerFor(writer, readerSchema, wanted);
    Optional<ProjectedReader> projected = ProjectedReader.of(writer, reader, data);
    if (projected.isPresent()) {
      ProjectedReader fields = projected.get();
      return (in, value) -> fields.read(in, value.buffer(), value.offset() + value.length());
    }
    GenericDatumReader<GenericRecord> any = new GenericDatumReader<>(writer, reader, data);
    return (in, value) -> any.read(null, in);
  }

  private static Schema after(int id, Schema envelope) throws DerivationException {
    Schema.Field field = envelope.getType() == Schema.Type.RECORD ? envelope.getField(AFTER) : null;
    if (field == null) {
      throw new DerivationException(
          "schema id %d has no field \"%s\"; if the topic holds plain records, its format is flat"
              .formatted(id, AFTER));
    }
    return field.schema().isUnion()
        ? field.schema().getTypes().stream()
            .filter(type -> type.getType() == Schema.Type.RECORD)
            .findFirst()
            .orElse(field.schema())
        : field.schema();
  }

  /** A record some of whose fields could not be read: asking for one of those fails. */
  private static final class PartialRecord extends GenericData.Record {
    private final Map<Integer, String> unreadable = new HashMap<>();

    /**
     * @param part what could be read
     * @param gaps what could not
     * @param id of the schema that the record was written with
     */
    PartialRecord(Schema schema, GenericRecord part, List<Gap> gaps, int id) {
      super(schema);
      part.getSchema().getFields().forEach(field -> put(field.name(), part.get(field.pos())));
      for (Gap gap : gaps) {
        unreadable.put(schema.getField(gap.field()).pos(), reason(id, gap));
      }
    }

    static String reason(int id, Gap gap) {
      return "records of schema id %d %s; rebuild the view once the record set's schema reads them"
          .formatted(id, gap.reason());
    }

    @Override
    public Object get(int position) {
      String reason = unreadable.get(position);
      if (reason != null) {
        throw new UnreadableFieldException(reason);
      }
      return super.get(position);
    }

    @Override
    public Object get(String name) {
      Schema.Field field = getSchema().getField(name);
      return field == null ? super.get(name) : get(field.pos());
    }
  }

  /** A view needs a field that the record's writer does not give as the view reads it. */
  static final class UnreadableFieldException extends RuntimeException {
    UnreadableFieldException(String message) {
      super(message);
    }
  }
}
