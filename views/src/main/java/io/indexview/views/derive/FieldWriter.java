package io.indexview.views.derive;

import io.indexview.views.encoding.FieldType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.Encoder;
import org.apache.avro.util.Utf8;

/** Writes the values of one field. */
@FunctionalInterface
interface FieldWriter {
  void write(Object value, Encoder out) throws IOException;

  /** Writes key values that are not null, equal values alike. */
  static FieldWriter ofKey(FieldType type, Schema schema) {
    return switch (type) {
      case STRING -> FieldWriter::writeText;
      case INT, DATE -> (value, out) -> out.writeInt((Integer) value);
      case LONG, TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> (value, out) -> out.writeLong((Long) value);
      case FLOAT -> (value, out) -> out.writeFloat(FieldType.canonical((float) (Float) value));
      case DOUBLE ->
          (value, out) ->
              out.writeDouble(
                  value instanceof Double number
                      ? FieldType.canonical((double) number)
                      : FieldType.ofDecimal(schema, value));
      case BOOLEAN -> (value, out) -> out.writeBoolean((Boolean) value);
      case ENUM -> (value, out) -> out.writeEnum(schema.getEnumOrdinal(value.toString()));
    };
  }

  /** Two texts that are no UTF-8 could look the same once decoded, and their rows be mixed up. */
  private static void writeText(Object value, Encoder out) throws IOException {
    if (!(value instanceof Utf8 text)) {
      out.writeString(value.toString());
      return;
    }
    byte[] bytes = text.getBytes();
    for (int i = 0; i < text.getByteLength(); i++) {
      if (bytes[i] < 0) {
        try {
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, 0, text.getByteLength()));
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("the text is no UTF-8", e);
        }
        break;
      }
    }
    out.writeString(text);
  }

  /** Writes values of any schema. */
  static FieldWriter of(Schema schema) {
    return switch (schema.getType()) {
      case STRING -> (value, out) -> out.writeString((CharSequence) value);
      case INT ->
          schema.getLogicalType() == null
              ? (value, out) -> out.writeInt((Integer) value)
              : ofAny(schema);
      case LONG -> (value, out) -> out.writeLong((Long) value);
      case FLOAT -> (value, out) -> out.writeFloat((Float) value);
      case DOUBLE -> (value, out) -> out.writeDouble((Double) value);
      case BOOLEAN -> (value, out) -> out.writeBoolean((Boolean) value);
      case UNION -> ofUnion(schema);
      default -> ofAny(schema);
    };
  }

  /** Whether it refuses no value that can be read with the schema. */
  static boolean takesAny(Schema schema) {
    return schema.isUnion()
        ? schema.getTypes().stream().allMatch(FieldWriter::takesAny)
        : !(schema.getLogicalType() instanceof LogicalTypes.TimeMillis)
            && !(schema.getLogicalType() instanceof LogicalTypes.Decimal);
  }

  private static FieldWriter ofUnion(Schema schema) {
    List<Schema> types = schema.getTypes();
    if (types.size() != 2 || types.get(0).getType() != Schema.Type.NULL) {
      return ofAny(schema);
    }
    FieldWriter other = of(types.get(1));
    return (value, out) -> {
      if (value == null) {
        out.writeIndex(0);
      } else {
        out.writeIndex(1);
        other.write(value, out);
      }
    };
  }

  private static FieldWriter ofAny(Schema schema) {
    OrderedWriter writer = new OrderedWriter(schema);
    return writer::write;
  }

  /**
   * Writes the entries of a map by their keys: equal records have equal rows, byte by byte. Refuses
   * what is none of its logical type, which Avro does not look at: no sink could read the row.
   */
  final class OrderedWriter extends GenericDatumWriter<Object> {
    /** Connect takes the end of the day, too. */
    private static final int MILLIS_OF_DAY = 86_400_000;

    private OrderedWriter(Schema schema) {
      super(schema);
    }

    @Override
    protected void writeWithoutConversion(Schema schema, Object datum, Encoder out)
        throws IOException {
      LogicalType type = schema.getLogicalType();
      if (type instanceof LogicalTypes.Decimal
          && datum instanceof ByteBuffer bytes
          && !bytes.hasRemaining()) {
        throw new IllegalArgumentException("a decimal has no byte");
      }
      if (type instanceof LogicalTypes.TimeMillis
          && datum instanceof Integer time
          && (time < 0 || time > MILLIS_OF_DAY)) {
        throw new IllegalArgumentException("a time of day lies beyond the day");
      }
      super.writeWithoutConversion(schema, datum, out);
    }

    @Override
    protected Iterable<Map.Entry<Object, Object>> getMapEntries(Object map) {
      Iterable<Map.Entry<Object, Object>> entries = super.getMapEntries(map);
      if (((Map<?, ?>) map).size() < 2) {
        return entries;
      }
      List<Map.Entry<Object, Object>> ordered = new ArrayList<>();
      entries.forEach(ordered::add);
      ordered.sort(Comparator.comparing(entry -> entry.getKey().toString()));
      return ordered;
    }
  }
}
