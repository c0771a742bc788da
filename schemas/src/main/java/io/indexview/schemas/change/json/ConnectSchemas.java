package io.indexview.schemas.change.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.change.DebeziumTypes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Connect's schemas, as JsonConverter puts them beside each payload, as Avro schemas. For one
 * record: two structs of one name are one type if they are alike, else the second gets a name of
 * its own.
 */
final class ConnectSchemas {
  static final String DECIMAL = "org.apache.kafka.connect.data.Decimal";
  private static final Map<String, LogicalType> CONNECT_TYPES =
      Map.of(
          "org.apache.kafka.connect.data.Date", LogicalTypes.date(),
          "org.apache.kafka.connect.data.Time", LogicalTypes.timeMillis(),
          "org.apache.kafka.connect.data.Timestamp", LogicalTypes.timestampMillis());

  /** Precision of decimals that do not say theirs, as PostgreSQL has it. */
  private static final int MAX_DIGITS = 1_000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern NO_NAME_CHARACTERS = Pattern.compile("[^A-Za-z0-9_.]");

  private final Map<String, Struct> structs = new HashMap<>();

  private record Struct(JsonNode fields, Schema schema) {}

  /**
   * The Avro record of a struct.
   *
   * @throws IllegalArgumentException if it has no such form; the message names the field
   */
  Schema record(JsonNode struct) {
    if (!"struct".equals(type(struct))) {
      throw new IllegalArgumentException(
          "a record must be a struct, not of type \"%s\"".formatted(type(struct)));
    }
    JsonNode fields = struct.path("fields");
    String name = fullName(struct.path("name").asText("Record"));
    for (int number = 2; structs.containsKey(name); number++) {
      if (structs.get(name).fields().equals(fields)) {
        return structs.get(name).schema();
      }
      name = fullName(struct.path("name").asText("Record")) + "_" + number;
    }
    Schema schema = Schema.createRecord(name, null, null, false);
    structs.put(name, new Struct(fields, schema));
    List<Schema.Field> avro = new ArrayList<>();
    fields.forEach(field -> avro.add(field(field)));
    schema.setFields(avro);
    return schema;
  }

  /** A name as Avro takes it; names of records do not count. */
  static String fullName(String connectName) {
    StringBuilder name = new StringBuilder();
    for (String part : NO_NAME_CHARACTERS.matcher(connectName).replaceAll("_").split("\\.")) {
      if (!part.isEmpty()) {
        name.append(name.isEmpty() ? "" : ".")
            .append(Character.isDigit(part.charAt(0)) ? "_" : "")
            .append(part);
      }
    }
    return name.isEmpty() ? "Record" : name.toString();
  }

  private static String type(JsonNode connect) {
    return connect.path("type").asText();
  }

  private Schema.Field field(JsonNode connect) {
    String name = connect.path("field").asText();
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "field \"%s\": Avro and views take names of A-Z a-z 0-9 _ alone; set field.name.adjustment.mode=avro in the connector"
              .formatted(name));
    }
    Schema type;
    try {
      type = value(connect);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("field \"%s\": %s".formatted(name, e.getMessage()), e);
    }
    Object byDefault = defaultValue(type, connect.path("default"));
    if (!isOptional(connect)) {
      return byDefault == null
          ? new Schema.Field(name, type)
          : new Schema.Field(name, type, null, byDefault);
    }
    Schema none = Schema.create(Schema.Type.NULL);
    return byDefault == null
        ? new Schema.Field(name, Schema.createUnion(none, type), null, JsonProperties.NULL_VALUE)
        : new Schema.Field(name, Schema.createUnion(type, none), null, byDefault);
  }

  private static boolean isOptional(JsonNode connect) {
    return connect.path("optional").asBoolean();
  }

  /** The type without its null. */
  private Schema value(JsonNode connect) {
    return switch (type(connect)) {
      case "boolean" -> named(Schema.create(Schema.Type.BOOLEAN), connect);
      case "int8", "int16", "int32" -> named(Schema.create(Schema.Type.INT), connect);
      case "int64" -> named(Schema.create(Schema.Type.LONG), connect);
      case "float" -> named(Schema.create(Schema.Type.FLOAT), connect);
      case "double" -> named(Schema.create(Schema.Type.DOUBLE), connect);
      case "string" -> named(Schema.create(Schema.Type.STRING), connect);
      case "bytes" -> named(Schema.create(Schema.Type.BYTES), connect);
      case "array" -> Schema.createArray(element(connect.path("items")));
      case "map" -> {
        if (!"string".equals(type(connect.path("keys")))) {
          throw new IllegalArgumentException("a map must have keys of type string");
        }
        yield Schema.createMap(element(connect.path("values")));
      }
      case "struct" -> record(connect);
      default ->
          throw new IllegalArgumentException(
              "\"%s\" is no type of Kafka Connect".formatted(type(connect)));
    };
  }

  private Schema element(JsonNode connect) {
    Schema type = value(connect);
    return isOptional(connect) ? Schema.createUnion(Schema.create(Schema.Type.NULL), type) : type;
  }

  /** Adds the logical type that a name stands for; the name stays as other converters have it. */
  private static Schema named(Schema type, JsonNode connect) {
    String name = connect.path("name").textValue();
    if (name == null) {
      return type;
    }
    type.addProp(DebeziumTypes.CONNECT_NAME, name);
    if (name.equals(DECIMAL)) {
      return decimal(connect).addToSchema(type);
    }
    return Optional.ofNullable(CONNECT_TYPES.get(name))
        .or(() -> DebeziumTypes.logicalType(name))
        .map(logical -> logical.addToSchema(type))
        .orElse(type);
  }

  /** Connect has them as texts among the parameters. */
  private static LogicalTypes.Decimal decimal(JsonNode connect) {
    JsonNode parameters = connect.path("parameters");
    int scale = parameters.path("scale").asInt();
    if (scale < 0 || scale > MAX_DIGITS) {
      throw new IllegalArgumentException(
          "a decimal of scale %d; set decimal.handling.mode=string or double in the connector"
              .formatted(scale));
    }
    int precision = parameters.path("connect.decimal.precision").asInt(MAX_DIGITS);
    return LogicalTypes.decimal(Math.max(precision, Math.max(1, scale)), scale);
  }

  /** Null: there is none, or Avro has none of the kind. */
  private static Object defaultValue(Schema type, JsonNode json) {
    return switch (type.getType()) {
      case BOOLEAN -> json.isBoolean() ? json.booleanValue() : null;
      case INT -> json.canConvertToInt() && json.isIntegralNumber() ? json.intValue() : null;
      case LONG -> json.canConvertToLong() && json.isIntegralNumber() ? json.longValue() : null;
      case FLOAT -> json.isNumber() ? (Object) json.floatValue() : null;
      case DOUBLE -> json.isNumber() ? (Object) json.doubleValue() : null;
      case STRING -> json.textValue();
      case BYTES -> bytes(json);
      default -> null;
    };
  }

  private static byte[] bytes(JsonNode json) {
    try {
      return json.isTextual() ? json.binaryValue() : null;
    } catch (IOException e) {
      return null;
    }
  }
}
