package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import io.indexview.schemas.serde.Surrogates;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.AvroTypeException;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** Avro binary after a header, which may be empty. */
final class AvroEncoder implements ValueEncoder {
  private final Schema schema;
  private final Supplier<byte[]> headers;
  private final WholeTexts writer;
  private final LogicalValues logicalValues;
  private volatile byte[] header;

  /**
   * @param headers asked with a record until it gives one
   */
  AvroEncoder(Schema schema, Supplier<byte[]> headers) {
    this.schema = schema;
    this.headers = headers;
    this.writer = new WholeTexts(schema);
    this.logicalValues = new LogicalValues(schema);
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public byte[] encode(GenericRecord record) {
    if (!record.getSchema().equals(schema)) {
      throw new UnencodableException(
          "a record of schema %s, not of the record set's %s"
              .formatted(record.getSchema().getFullName(), schema.getFullName()),
          null);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    out.writeBytes(header());
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    try {
      writer.write(record, encoder);
      encoder.flush();
    } catch (IOException | AvroRuntimeException | ClassCastException | NullPointerException e) {
      throw new UnencodableException(
          "the record does not fit its schema %s: %s"
              .formatted(schema.getFullName(), e.getMessage()),
          e);
    }
    logicalValues.require(record);
    return out.toByteArray();
  }

  private byte[] header() {
    byte[] known = header;
    if (known == null) {
      known = headers.get();
      header = known;
    }
    return known;
  }

  /** Refuses half a surrogate pair, of which Avro makes a question mark. */
  private static final class WholeTexts extends GenericDatumWriter<GenericRecord> {
    WholeTexts(Schema schema) {
      super(schema);
    }

    @Override
    protected void writeString(Object datum, Encoder out) throws IOException {
      if (datum instanceof String text && Surrogates.anyAlone(text)) {
        throw new AvroTypeException("half a surrogate pair, which is no character");
      }
      super.writeString(datum, out);
    }
  }

  /**
   * Refuses what Avro writes although it is no value of its logical type, so that no reader takes
   * it: times of day beyond the day, decimals of no bytes. Safe for use by several threads.
   */
  static final class LogicalValues {
    private static final int MILLIS_OF_DAY = 86_400_000;

    private final Schema schema;
    private final boolean any;

    LogicalValues(Schema schema) {
      this.schema = schema;
      this.any = holds(schema, new HashSet<>());
    }

    private static boolean holds(Schema schema, Set<Schema> above) {
      return switch (schema.getType()) {
        case RECORD ->
            above.add(schema)
                && schema.getFields().stream().anyMatch(field -> holds(field.schema(), above));
        case UNION -> schema.getTypes().stream().anyMatch(type -> holds(type, above));
        case ARRAY -> holds(schema.getElementType(), above);
        case MAP -> holds(schema.getValueType(), above);
        default -> isTimeOfDay(schema) || isDecimal(schema);
      };
    }

    private static boolean isTimeOfDay(Schema schema) {
      return schema.getLogicalType() instanceof LogicalTypes.TimeMillis;
    }

    private static boolean isDecimal(Schema schema) {
      return schema.getType() == Schema.Type.BYTES
          && schema.getLogicalType() instanceof LogicalTypes.Decimal;
    }

    /**
     * Checks a record of the schema.
     *
     * @throws UnencodableException naming the field
     */
    void require(IndexedRecord record) {
      if (any) {
        require(schema, record, "");
      }
    }

    private static void require(Schema schema, Object value, String path) {
      switch (schema.getType()) {
        case RECORD -> {
          for (Schema.Field field : schema.getFields()) {
            String name = path.isEmpty() ? field.name() : path + "." + field.name();
            require(field.schema(), ((IndexedRecord) value).get(field.pos()), name);
          }
        }
        case UNION ->
            require(
                schema.getTypes().get(GenericData.get().resolveUnion(schema, value)), value, path);
        case ARRAY ->
            ((Collection<?>) value)
                .forEach(element -> require(schema.getElementType(), element, path + "[]"));
        case MAP ->
            ((Map<?, ?>) value)
                .forEach((key, held) -> require(schema.getValueType(), held, path + "." + key));
        default -> requireScalar(schema, value, path);
      }
    }

    private static void requireScalar(Schema schema, Object value, String path) {
      if (isTimeOfDay(schema) && value instanceof Integer millis) {
        if (millis < 0 || millis > MILLIS_OF_DAY) {
          throw new UnencodableException(
              "field %s: %d ms is no time of day; use 0 to %d"
                  .formatted(path, millis, MILLIS_OF_DAY),
              null);
        }
      } else if (isDecimal(schema) && value instanceof ByteBuffer bytes && !bytes.hasRemaining()) {
        throw new UnencodableException(
            "field %s: a decimal of no bytes is no number".formatted(path), null);
      }
    }
  }
}
