package io.indexview.kvstore.value;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;

/**
 * JSON objects in UTF-8 with all fields. Bytes are base64; dates and points in time are ISO 8601
 * text, times of day and local times the number that Avro holds; decimals are numbers. Every value
 * is read back before it is given away.
 */
final class JsonEncoder {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();
  private static final int LAST_YEAR = 9999;

  private final Schema schema;

  JsonEncoder(Schema schema) {
    this.schema = schema;
  }

  /**
   * The JSON of a record.
   *
   * @param record of the schema, with values of Avro's generic types
   * @throws UnencodableException if JSON cannot hold it
   */
  byte[] encode(GenericRecord record) {
    byte[] json = json(record);
    try {
      requireSame(record, new JsonDecoder(schema).decode(json));
    } catch (UndecodableException e) {
      throw unencodable(e.getMessage(), e);
    }
    return json;
  }

  private byte[] json(GenericRecord record) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator generator = FACTORY.createGenerator(out)) {
      write(schema, record, generator);
    } catch (IOException | AvroRuntimeException | NumberFormatException e) {
      throw unencodable(e.getMessage(), e);
    }
    return out.toByteArray();
  }

  /**
   * Requires that a value reads back as it was written; a union of which another type comes first,
   * or a decimal in more bytes than it needs, does not.
   */
  private void requireSame(GenericRecord written, GenericRecord read) {
    if (read.equals(written)) {
      return;
    }
    for (Schema.Field field : schema.getFields()) {
      GenericData.Record other = new GenericData.Record((GenericData.Record) read, false);
      other.put(field.pos(), written.get(field.pos()));
      if (!other.equals(read)) {
        throw unencodable("field %s reads back as another value".formatted(field.name()), null);
      }
    }
  }

  private UnencodableException unencodable(String why, Exception cause) {
    return new UnencodableException(
        "the %s cannot be written as JSON that reads back the same: %s"
            .formatted(schema.getFullName(), why),
        cause);
  }

  private void write(Schema schema, Object value, JsonGenerator out) throws IOException {
    switch (schema.getType()) {
      case NULL -> out.writeNull();
      case UNION -> {
        int branch = GenericData.get().resolveUnion(schema, value);
        write(schema.getTypes().get(branch), value, out);
      }
      case RECORD -> {
        out.writeStartObject();
        for (Schema.Field field : schema.getFields()) {
          out.writeFieldName(field.name());
          write(field.schema(), ((IndexedRecord) value).get(field.pos()), out);
        }
        out.writeEndObject();
      }
      case ARRAY -> {
        out.writeStartArray();
        for (Object element : (Collection<?>) value) {
          write(schema.getElementType(), element, out);
        }
        out.writeEndArray();
      }
      case MAP -> {
        Map<String, Object> sorted = new TreeMap<>();
        ((Map<?, ?>) value).forEach((key, held) -> sorted.put(key.toString(), held));
        out.writeStartObject();
        for (Map.Entry<String, Object> entry : sorted.entrySet()) {
          out.writeFieldName(entry.getKey());
          write(schema.getValueType(), entry.getValue(), out);
        }
        out.writeEndObject();
      }
      default -> scalar(schema, value, out);
    }
  }

  private static void scalar(Schema schema, Object value, JsonGenerator out) throws IOException {
    switch (schema.getType()) {
      case BOOLEAN -> out.writeBoolean((Boolean) value);
      case INT, LONG -> number(schema.getLogicalType(), ((Number) value).longValue(), out);
      case FLOAT -> out.writeNumber((Float) value);
      case DOUBLE -> out.writeNumber((Double) value);
      case BYTES -> bytes(schema, copy((ByteBuffer) value), out);
      case FIXED -> bytes(schema, ((GenericFixed) value).bytes(), out);
      default -> out.writeString(value.toString());
    }
  }

  private static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static void bytes(Schema schema, byte[] bytes, JsonGenerator out) throws IOException {
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      out.writeNumber(new BigDecimal(new BigInteger(bytes), decimal.getScale()));
    } else {
      out.writeString(Base64.getEncoder().encodeToString(bytes));
    }
  }

  /** Years that every reader of ISO 8601 takes are text. */
  private static void number(LogicalType type, long number, JsonGenerator out) throws IOException {
    if (type instanceof LogicalTypes.Date && isUsual(LocalDate.ofEpochDay(number))) {
      out.writeString(LocalDate.ofEpochDay(number).toString());
      return;
    }
    Instant time = null;
    if (type instanceof LogicalTypes.TimestampMillis) {
      time = Instant.ofEpochMilli(number);
    } else if (type instanceof LogicalTypes.TimestampMicros) {
      time = Instant.EPOCH.plus(number, ChronoUnit.MICROS);
    }
    if (time != null && isUsual(LocalDate.ofInstant(time, ZoneOffset.UTC))) {
      out.writeString(time.toString());
    } else {
      out.writeNumber(number);
    }
  }

  private static boolean isUsual(LocalDate date) {
    return date.getYear() >= 0 && date.getYear() <= LAST_YEAR;
  }
}
