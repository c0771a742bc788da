package io.indexview.views.derive;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
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
  private final IntFunction<Schema> writerSchemas;
  private final GenericData data = new GenericData();
  private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();
  private BinaryDecoder decoder;

  /**
   * Creates a decoder.
   *
   * @param readerSchema what records are resolved to, usually a {@link Projection}
   * @param writerSchemas schema of a registry id; whatever it throws passes through {@link #decode}
   */
  public RecordDecoder(
      RecordFormat format, Schema readerSchema, IntFunction<Schema> writerSchemas) {
    this.format = format;
    this.readerSchema = readerSchema;
    this.writerSchemas = writerSchemas;
  }

  /**
   * Decodes one record, a new one on each call.
   *
   * @param value the record's bytes alone, without the union branch of an envelope's {@code after}
   * @throws DerivationException if the bytes are no record of the writer's schema, or the writer's
   *     schema cannot be read with the reader's
   */
  public GenericRecord decode(FramedValue value) throws DerivationException {
    GenericDatumReader<GenericRecord> reader = readers.get(value.schemaId());
    if (reader == null) {
      reader = reader(value.schemaId(), writerSchemas.apply(value.schemaId()));
      readers.put(value.schemaId(), reader);
    }
    decoder =
        DecoderFactory.get().binaryDecoder(value.buffer(), value.offset(), value.length(), decoder);
    try {
      GenericRecord record = reader.read(null, decoder);
      if (decoder.isEnd()) {
        return record;
      }
    } catch (IOException | RuntimeException e) {
      // Bytes that do not fit the schema make Avro fail in any way.
      throw new DerivationException(
          "the value is no record of schema id %d that can be read as %s: %s"
              .formatted(value.schemaId(), readerSchema.getFullName(), e.getMessage()),
          e);
    }
    throw new DerivationException(
        "bytes are left over after the record of schema id " + value.schemaId());
  }

  private GenericDatumReader<GenericRecord> reader(int id, Schema framing)
      throws DerivationException {
    Schema writer = format == RecordFormat.ENVELOPE ? after(id, framing) : framing;
    if (writer.getType() != Schema.Type.RECORD) {
      throw new DerivationException(
          "schema id %d is of type %s; a record is needed"
              .formatted(id, writer.getType().getName()));
    }
    Schema reader =
        writer.getFullName().equals(readerSchema.getFullName())
            ? readerSchema
            : Projection.renamed(readerSchema, writer.getName(), writer.getNamespace());
    return new GenericDatumReader<>(writer, reader, data);
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
}
