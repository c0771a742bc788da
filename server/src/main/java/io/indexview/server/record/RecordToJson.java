package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;

/** Writes Avro records as JSON that {@link JsonToRecord} reads back. */
public final class RecordToJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private RecordToJson() {}

  public static JsonNode write(GenericRecord record) {
    return value(record.getSchema(), record);
  }

  private static JsonNode value(Schema schema, Object value) {
    if (value == null) {
      return NODES.nullNode();
    }
    return switch (schema.getType()) {
      case UNION ->
          value(schema.getTypes().get(GenericData.get().resolveUnion(schema, value)), value);
      case RECORD -> record(schema, (GenericRecord) value);
      case ARRAY -> {
        ArrayNode array = NODES.arrayNode();
        ((Collection<?>) value).forEach(item -> array.add(value(schema.getElementType(), item)));
        yield array;
      }
      case MAP -> {
        ObjectNode object = NODES.objectNode();
        ((Map<?, ?>) value)
            .forEach((key, item) -> object.set(key.toString(), value(schema.getValueType(), item)));
        yield object;
      }
      case BOOLEAN -> NODES.booleanNode((Boolean) value);
      case INT, LONG -> WholeNumbers.write(schema, (Number) value);
      case FLOAT -> floating((Float) value, Float.isFinite((Float) value));
      case DOUBLE -> floating((Double) value, Double.isFinite((Double) value));
      case BYTES -> binary(schema, bytes((ByteBuffer) value));
      case FIXED -> binary(schema, ((GenericFixed) value).bytes());
      default -> NODES.textNode(value.toString());
    };
  }

  private static ObjectNode record(Schema schema, GenericRecord record) {
    ObjectNode object = NODES.objectNode();
    schema
        .getFields()
        .forEach(field -> object.set(field.name(), value(field.schema(), record.get(field.pos()))));
    return object;
  }

  private static JsonNode floating(Number value, boolean finite) {
    if (!finite) {
      return NODES.textNode(value.toString());
    }
    return value instanceof Float number
        ? NODES.numberNode((float) number)
        : NODES.numberNode(value.doubleValue());
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static JsonNode binary(Schema schema, byte[] bytes) {
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      return NODES.textNode(
          new BigDecimal(new BigInteger(bytes), decimal.getScale()).toPlainString());
    }
    return NODES.textNode(Base64.getEncoder().encodeToString(bytes));
  }
}
