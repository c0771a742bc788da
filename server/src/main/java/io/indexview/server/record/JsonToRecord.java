package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.serde.Nesting;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Conversions;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Reads JSON as an Avro record, strictly: nothing is rounded, cut off or left out. Dates and times
 * are ISO 8601 text, bytes base64, decimals numbers or text. For one value.
 */
final class JsonToRecord {
  private static final Conversions.DecimalConversion DECIMALS = new Conversions.DecimalConversion();

  /**
   * How often objects and arrays are tried in vain as a type of a union while what holds them is
   * tried itself: that could be twice as often with each level.
   */
  private static final int MOST_ATTEMPTS = 10_000;

  private final List<ProblemDetails.Item> problems = new ArrayList<>();
  private final AtomicInteger attempts;
  private final boolean isTried;

  /**
   * @param isTried whether it is but an attempt
   */
  private JsonToRecord(AtomicInteger attempts, boolean isTried) {
    this.attempts = attempts;
    this.isTried = isTried;
  }

  /**
   * Reads a record.
   *
   * @throws ProblemException naming every field that does not fit
   */
  static GenericRecord read(Schema schema, JsonNode json) {
    JsonToRecord reading = new JsonToRecord(new AtomicInteger(), false);
    Object record = reading.value(schema, json, "");
    if (reading.problems.isEmpty() && new Nesting(schema).isTooDeep((GenericRecord) record)) {
      reading.wrong("", json, "nests more than %d levels deep".formatted(Nesting.MOST_LEVELS));
    }
    if (!reading.problems.isEmpty()) {
      throw new ProblemException(
          ProblemDetails.of(ProblemType.INVALID_RECORD, "the value is no " + schema.getFullName())
              .with(reading.problems));
    }
    return (GenericRecord) record;
  }

  private Object wrong(String path, JsonNode json, String message) {
    problems.add(
        new ProblemDetails.Item(path, json.isContainerNode() ? "" : json.asText(), message));
    return null;
  }

  private Object value(Schema schema, JsonNode json, String path) {
    return switch (schema.getType()) {
      case RECORD -> record(schema, json, path);
      case UNION -> union(schema, json, path);
      case ARRAY -> array(schema, json, path);
      case MAP -> map(schema, json, path);
      case ENUM ->
          json.isTextual() && schema.hasEnumSymbol(json.textValue())
              ? new GenericData.EnumSymbol(schema, json.textValue())
              : wrong(path, json, "use one of " + String.join(", ", schema.getEnumSymbols()));
      case NULL -> json.isNull() ? null : wrong(path, json, "use null");
      case BOOLEAN ->
          json.isBoolean() ? json.booleanValue() : wrong(path, json, "use true or false");
      case STRING -> json.isTextual() ? json.textValue() : wrong(path, json, "use a text");
      default -> scalar(schema, json, path);
    };
  }

  private Object scalar(Schema schema, JsonNode json, String path) {
    try {
      return switch (schema.getType()) {
        case INT, LONG -> JsonNumbers.whole(schema, json);
        case FLOAT, DOUBLE -> JsonNumbers.floating(schema, json);
        case BYTES, FIXED -> binary(schema, json);
        default -> throw new IllegalArgumentException("cannot be written as JSON");
      };
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      return wrong(path, json, e.getMessage());
    }
  }

  private static Object binary(Schema schema, JsonNode json) {
    boolean fixed = schema.getType() == Schema.Type.FIXED;
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      BigDecimal number = JsonNumbers.decimal(decimal, json);
      return fixed
          ? DECIMALS.toFixed(number, schema, decimal)
          : DECIMALS.toBytes(number, schema, decimal);
    }
    if (!json.isTextual()) {
      throw new IllegalArgumentException("use base64");
    }
    byte[] bytes = Base64.getDecoder().decode(json.textValue());
    if (fixed && bytes.length != schema.getFixedSize()) {
      throw new IllegalArgumentException("use %d bytes".formatted(schema.getFixedSize()));
    }
    return fixed ? new GenericData.Fixed(schema, bytes) : ByteBuffer.wrap(bytes);
  }

  private Object record(Schema schema, JsonNode json, String path) {
    if (!json.isObject()) {
      return wrong(path, json, "use an object");
    }
    GenericRecord record = new GenericData.Record(schema);
    for (Schema.Field field : schema.getFields()) {
      JsonNode value = json.get(field.name());
      String place = path.isEmpty() ? field.name() : path + "." + field.name();
      record.put(
          field.pos(), value == null ? absent(field, place) : value(field.schema(), value, place));
    }
    json.fieldNames()
        .forEachRemaining(
            name -> {
              if (schema.getField(name) == null) {
                wrong(
                    path.isEmpty() ? name : path + "." + name,
                    json.get(name),
                    "no such field in " + schema.getFullName());
              }
            });
    return record;
  }

  private Object absent(Schema.Field field, String path) {
    if (field.hasDefaultValue()) {
      return GenericData.get().getDefaultValue(field);
    }
    if (!field.schema().isNullable()) {
      problems.add(new ProblemDetails.Item(path, "", "is missing"));
    }
    return null;
  }

  /** The first type that the value fits; if there is but one, what does not fit there is told. */
  private Object union(Schema schema, JsonNode json, String path) {
    if (json.isNull() && schema.isNullable()) {
      return null;
    }
    List<Schema> types =
        schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    if (types.size() == 1) {
      return value(types.get(0), json, path);
    }
    for (Schema type : types) {
      if (attempts.get() >= MOST_ATTEMPTS) {
        break;
      }
      JsonToRecord attempt = new JsonToRecord(attempts, true);
      Object value = attempt.value(type, json, path);
      if (attempt.problems.isEmpty()) {
        return value;
      }
      attempts.addAndGet(isTried && json.isContainerNode() ? 1 : 0);
    }
    return wrong(
        path,
        json,
        "fits none of " + String.join(", ", types.stream().map(Schema::getFullName).toList()));
  }

  private Object array(Schema schema, JsonNode json, String path) {
    if (!json.isArray()) {
      return wrong(path, json, "use an array");
    }
    List<Object> values = new ArrayList<>(json.size());
    for (int i = 0; i < json.size(); i++) {
      values.add(value(schema.getElementType(), json.get(i), path + "[" + i + "]"));
    }
    return values;
  }

  private Object map(Schema schema, JsonNode json, String path) {
    if (!json.isObject()) {
      return wrong(path, json, "use an object");
    }
    Map<String, Object> values = new HashMap<>();
    json.properties()
        .forEach(
            entry ->
                values.put(
                    entry.getKey(),
                    value(schema.getValueType(), entry.getValue(), path + "." + entry.getKey())));
    return values;
  }
}
