package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.serde.Nesting;
import io.indexview.schemas.serde.Surrogates;
import io.indexview.schemas.serde.UnionAttempts;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.views.encoding.PlainValues;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private final List<ProblemDetails.Item> problems;
  private final UnionAttempts attempts;

  private JsonToRecord(List<ProblemDetails.Item> problems, UnionAttempts attempts) {
    this.problems = problems;
    this.attempts = attempts;
  }

  /**
   * Reads a record.
   *
   * @param nesting of the schema
   * @throws ProblemException naming every field that does not fit
   */
  static GenericRecord read(Schema schema, Nesting nesting, JsonNode json) {
    List<ProblemDetails.Item> problems = new ArrayList<>();
    GenericRecord record = read(schema, nesting, json, "", new UnionAttempts(), problems);
    if (!problems.isEmpty()) {
      throw new ProblemException(
          ProblemDetails.of(ProblemType.INVALID_RECORD, "the value is no " + schema.getFullName())
              .with(problems));
    }
    return record;
  }

  /**
   * Reads a record that is part of something.
   *
   * @param path of it
   * @param attempts of the whole
   * @param problems gets every field that does not fit; then what is returned is of no use
   */
  static GenericRecord read(
      Schema schema,
      Nesting nesting,
      JsonNode json,
      String path,
      UnionAttempts attempts,
      List<ProblemDetails.Item> problems) {
    JsonToRecord reading = new JsonToRecord(new ArrayList<>(), attempts);
    GenericRecord record = (GenericRecord) reading.value(schema, json, path);
    if (reading.problems.isEmpty() && nesting.isTooDeep(record)) {
      reading.wrong(path, json, "nests more than %d levels deep".formatted(Nesting.MAX_LEVELS));
    }
    problems.addAll(reading.problems);
    return record;
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
      case STRING -> text(json, path);
      default -> scalar(schema, json, path);
    };
  }

  private Object text(JsonNode json, String path) {
    if (!json.isTextual()) {
      return wrong(path, json, "use a text");
    }
    return Surrogates.anyAlone(json.textValue()) ? halved(path) : json.textValue();
  }

  /** Notes half a surrogate pair, without the value: no answer could hold it. */
  private Object halved(String path) {
    problems.add(
        new ProblemDetails.Item(path, "", "holds half a surrogate pair, which is no character"));
    return null;
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

  /** The first type that the value fits; if there is but one, what does not fit there is named. */
  private Object union(Schema schema, JsonNode json, String path) {
    if (json.isNull() && schema.isNullable()) {
      return null;
    }
    Schema only = PlainValues.withoutNull(schema);
    if (!only.isUnion()) {
      return value(only, json, path);
    }
    List<Schema> types =
        schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    for (Schema type : types) {
      if (attempts.areSpent()) {
        break;
      }
      JsonToRecord attempt = new JsonToRecord(new ArrayList<>(), attempts);
      attempts.begin();
      Object value = attempt.value(type, json, path);
      boolean fits = attempt.problems.isEmpty();
      attempts.end(!fits && json.isContainerNode());
      if (fits) {
        return value;
      }
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
    for (Map.Entry<String, JsonNode> entry : json.properties()) {
      String name = entry.getKey();
      values.put(
          name,
          Surrogates.anyAlone(name)
              ? halved(path)
              : value(schema.getValueType(), entry.getValue(), path + "." + name));
    }
    return values;
  }
}
