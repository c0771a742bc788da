package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Plain values as JSON, and back: times as text, bytes in base64, decimals and numbers that JSON
 * lacks as text.
 */
public final class JsonValues {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private JsonValues() {}

  /**
   * A plain value as JSON.
   *
   * @param plain as {@link PlainValues} gives it; null is JSON's null
   */
  public static JsonNode toJson(Object plain) {
    if (plain == null) {
      return NODES.nullNode();
    } else if (plain instanceof String text) {
      return NODES.textNode(text);
    } else if (plain instanceof Integer number) {
      return NODES.numberNode(number);
    } else if (plain instanceof Long number) {
      return NODES.numberNode(number);
    } else if (plain instanceof Float number) {
      return Float.isFinite(number) ? NODES.numberNode(number) : NODES.textNode(number.toString());
    } else if (plain instanceof Double number) {
      return Double.isFinite(number) ? NODES.numberNode(number) : NODES.textNode(number.toString());
    } else if (plain instanceof Boolean bool) {
      return NODES.booleanNode(bool);
    } else if (plain instanceof LocalDate date) {
      return NODES.textNode(date.toString());
    } else if (plain instanceof Instant instant) {
      return NODES.textNode(instant.toString());
    } else if (plain instanceof BigDecimal decimal) {
      return NODES.textNode(decimal.toPlainString());
    } else if (plain instanceof ByteBuffer bytes) {
      return NODES.textNode(Base64.getEncoder().encodeToString(PlainValues.copy(bytes)));
    } else if (plain instanceof List<?> list) {
      ArrayNode array = NODES.arrayNode(list.size());
      list.forEach(element -> array.add(toJson(element)));
      return array;
    }
    ObjectNode object = NODES.objectNode();
    ((Map<?, ?>) plain).forEach((name, value) -> object.set((String) name, toJson(value)));
    return object;
  }

  /** Writes what {@link #toJson} makes, without making it. */
  public static void write(Object plain, JsonGenerator json) throws IOException {
    if (plain == null) {
      json.writeNull();
    } else if (plain instanceof String text) {
      json.writeString(text);
    } else if (plain instanceof Integer number) {
      json.writeNumber(number);
    } else if (plain instanceof Long number) {
      json.writeNumber(number);
    } else if (plain instanceof Float number && Float.isFinite(number)) {
      json.writeNumber(number);
    } else if (plain instanceof Double number && Double.isFinite(number)) {
      json.writeNumber(number);
    } else if (plain instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (plain instanceof List<?> list) {
      json.writeStartArray();
      for (Object element : list) {
        write(element, json);
      }
      json.writeEndArray();
    } else if (plain instanceof FieldMap fields) {
      fields.write(json);
    } else if (plain instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName((String) entry.getKey());
        write(entry.getValue(), json);
      }
      json.writeEndObject();
    } else {
      json.writeString(toJson(plain).textValue());
    }
  }

  /**
   * Reads {@link #toJson} back; null for what is not there.
   *
   * @throws IllegalArgumentException if it is no value of the schema
   * @throws java.time.DateTimeException likewise
   */
  static Object fromJson(Schema schema, JsonNode json) {
    if (json.isNull() || json.isMissingNode()) {
      return null;
    }
    if (schema.isUnion()) {
      return fromJson(PlainValues.withoutNull(schema), json);
    }
    Optional<FieldType> scalar = FieldType.of(schema);
    if (scalar.isPresent()) {
      return scalar(scalar.get(), json);
    }
    return switch (schema.getType()) {
      case INT -> scalar(FieldType.INT, json);
      case LONG -> scalar(FieldType.LONG, json);
      case BYTES, FIXED ->
          schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
              ? PlainValues.decimal(decimal, new BigDecimal(text(json)))
              : ByteBuffer.wrap(Base64.getDecoder().decode(text(json)));
      case ARRAY -> {
        List<Object> list = new ArrayList<>(json.size());
        only(json, JsonNode::isArray)
            .forEach(element -> list.add(fromJson(schema.getElementType(), element)));
        yield list;
      }
      case MAP -> {
        Map<String, Object> map = new LinkedHashMap<>();
        only(json, JsonNode::isObject)
            .properties()
            .forEach(
                entry ->
                    map.put(entry.getKey(), fromJson(schema.getValueType(), entry.getValue())));
        yield map;
      }
      case RECORD -> {
        JsonNode fields = only(json, JsonNode::isObject);
        Map<String, Object> map = new LinkedHashMap<>();
        schema
            .getFields()
            .forEach(
                field ->
                    map.put(field.name(), fromJson(field.schema(), fields.path(field.name()))));
        yield map;
      }
      default ->
          throw new IllegalArgumentException(
              "values of type " + schema.getType().getName() + " are never stored");
    };
  }

  private static Object scalar(FieldType type, JsonNode json) {
    return switch (type) {
      case STRING, ENUM -> text(json);
      case INT ->
          only(json, number -> number.isIntegralNumber() && number.canConvertToInt()).intValue();
      case LONG ->
          only(json, number -> number.isIntegralNumber() && number.canConvertToLong()).longValue();
      case FLOAT ->
          isNotFinite(json)
              ? (Object) Float.valueOf(json.textValue())
              : only(json, number -> number.isNumber() && Float.isFinite(number.floatValue()))
                  .floatValue();
      case DOUBLE ->
          isNotFinite(json)
              ? (Object) Double.valueOf(json.textValue())
              : only(json, number -> number.isNumber() && Double.isFinite(number.doubleValue()))
                  .doubleValue();
      case BOOLEAN -> only(json, JsonNode::isBoolean).booleanValue();
      case DATE -> LocalDate.parse(text(json));
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> Instant.parse(text(json));
    };
  }

  private static boolean isNotFinite(JsonNode json) {
    return json.isTextual() && FieldType.isNotFinite(json.textValue());
  }

  private static String text(JsonNode json) {
    return only(json, JsonNode::isTextual).textValue();
  }

  /** What would be read as another value is none: nobody could tell it from that. */
  private static JsonNode only(JsonNode json, Predicate<JsonNode> form) {
    if (!form.test(json)) {
      throw new IllegalArgumentException(
          "a JSON %s is no such value".formatted(json.getNodeType()));
    }
    return json;
  }
}
