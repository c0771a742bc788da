package io.indexview.schemas.change.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.change.MalformedEventException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Writes the JSON of one record schema as Avro, as JsonConverter means it: bytes are base64,
 * decimals base64 of their digits or numbers, dates and times the numbers that they are. Nothing is
 * rounded or cut; members that the schema does not have are left out. Not safe for use by several
 * threads.
 */
final class JsonRecords {
  private static final int MAX_PROBLEMS = 10;

  private final Step step;
  private final List<Problem> problems = new ArrayList<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);
  private BinaryEncoder encoder;

  /** Writes one value, or adds to the problems. */
  private interface Step {
    void write(JsonNode json, BinaryEncoder out, List<Problem> problems) throws IOException;
  }

  /** What does not fit, and where below the value in question; never the value. */
  private record Problem(String path, String message) {
    Problem below(String name) {
      return new Problem(
          path.isEmpty() || path.startsWith("[") ? name + path : name + "." + path, message);
    }

    @Override
    public String toString() {
      return path.isEmpty() ? message : "field \"" + path + "\" " + message;
    }
  }

  /**
   * @throws IllegalArgumentException if JSON cannot say what the schema asks for; the message names
   *     the field
   */
  JsonRecords(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException(
          "a primary record's schema must be an Avro record, not " + schema.getType().getName());
    }
    step = step(schema, new HashMap<>());
  }

  /**
   * The Avro bytes of a record.
   *
   * @throws MalformedEventException naming every field that does not fit
   */
  byte[] write(JsonNode json) throws MalformedEventException {
    out.reset();
    problems.clear();
    encoder = EncoderFactory.get().binaryEncoder(out, encoder);
    try {
      step.write(json, encoder, problems);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!problems.isEmpty()) {
      String more =
          problems.size() > MAX_PROBLEMS
              ? "; and %d more".formatted(problems.size() - MAX_PROBLEMS)
              : "";
      throw new MalformedEventException(
          problems.stream()
              .limit(MAX_PROBLEMS)
              .map(Problem::toString)
              .collect(Collectors.joining("; ", "value: ", more)));
    }
    return out.toByteArray();
  }

  private static Step step(Schema schema, Map<String, Step> records) {
    return switch (schema.getType()) {
      case RECORD -> record(schema, records);
      case UNION -> union(schema, records);
      case ARRAY -> array(step(schema.getElementType(), records));
      case MAP -> map(step(schema.getValueType(), records));
      case ENUM ->
          (json, out, problems) -> {
            if (json.isTextual() && schema.hasEnumSymbol(json.textValue())) {
              out.writeEnum(schema.getEnumOrdinal(json.textValue()));
            } else {
              refuse(json, "one of " + String.join(", ", schema.getEnumSymbols()), problems);
            }
          };
      case STRING ->
          (json, out, problems) -> {
            if (json.isTextual()) {
              out.writeString(json.textValue());
            } else {
              refuse(json, "a text", problems);
            }
          };
      case BOOLEAN ->
          (json, out, problems) -> {
            if (json.isBoolean()) {
              out.writeBoolean(json.booleanValue());
            } else {
              refuse(json, "true or false", problems);
            }
          };
      case INT ->
          (json, out, problems) -> {
            if (isWhole(json, json.canConvertToInt(), "int, of 32 bits", problems)) {
              out.writeInt(json.intValue());
            }
          };
      case LONG ->
          (json, out, problems) -> {
            if (isWhole(json, json.canConvertToLong(), "long, of 64 bits", problems)) {
              out.writeLong(json.longValue());
            }
          };
      case FLOAT ->
          (json, out, problems) ->
              out.writeFloat((float) floating(json, Float.MAX_VALUE, problems));
      case DOUBLE ->
          (json, out, problems) -> out.writeDouble(floating(json, Double.MAX_VALUE, problems));
      case BYTES ->
          schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
              ? decimal(decimal)
              : (json, out, problems) -> out.writeBytes(base64(json, problems));
      case FIXED -> fixed(schema);
      case NULL -> (json, out, problems) -> {};
    };
  }

  private static void refuse(JsonNode json, String needed, List<Problem> problems) {
    problems.add(new Problem("", "is %s; it must be %s".formatted(kind(json), needed)));
  }

  static String kind(JsonNode json) {
    return switch (json.getNodeType()) {
      case ARRAY -> "an array";
      case BOOLEAN -> "true or false";
      case MISSING, NULL -> "null";
      case NUMBER -> json.isIntegralNumber() ? "a whole number" : "a number with a fraction";
      case STRING -> "a text";
      default -> "an object";
    };
  }

  private static boolean isWhole(JsonNode json, boolean fits, String type, List<Problem> problems) {
    if (!json.isIntegralNumber()) {
      refuse(json, "a whole number", problems);
      return false;
    }
    if (!fits) {
      problems.add(
          new Problem("", "is out of the range of %s; give it a wider type".formatted(type)));
    }
    return fits;
  }

  /** JsonConverter writes what is no number as text. */
  private static double floating(JsonNode json, double max, List<Problem> problems) {
    if (json.isNumber()) {
      double number = json.doubleValue();
      if (Math.abs(number) > max) {
        problems.add(new Problem("", "is out of the range of its type"));
      }
      return number;
    }
    switch (json.isTextual() ? json.textValue() : "") {
      case "NaN":
        return Double.NaN;
      case "Infinity":
        return Double.POSITIVE_INFINITY;
      case "-Infinity":
        return Double.NEGATIVE_INFINITY;
      default:
        refuse(
            json,
            "a number (decimals that the connector writes as text have the type string)",
            problems);
        return 0;
    }
  }

  private static byte[] base64(JsonNode json, List<Problem> problems) {
    if (json.isTextual()) {
      try {
        return json.binaryValue();
      } catch (IOException e) {
        problems.add(new Problem("", "is no base64"));
        return new byte[0];
      }
    }
    refuse(json, "base64 text", problems);
    return new byte[0];
  }

  private static Step fixed(Schema schema) {
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal) {
      throw new IllegalArgumentException("a decimal must have the type bytes, not fixed");
    }
    return (json, out, problems) -> {
      int before = problems.size();
      byte[] bytes = base64(json, problems);
      if (bytes.length == schema.getFixedSize()) {
        out.writeFixed(bytes);
      } else if (problems.size() == before) {
        problems.add(new Problem("", "must have %d bytes".formatted(schema.getFixedSize())));
      }
    };
  }

  private static Step decimal(LogicalTypes.Decimal type) {
    String outOfRange =
        "is out of the range of its type, a decimal of %d digits, %d of them behind the point"
            .formatted(type.getPrecision(), type.getScale());
    return (json, out, problems) -> {
      BigDecimal number = json.isNumber() ? json.decimalValue() : digits(json, type.getScale());
      if (number == null) {
        problems.add(
            new Problem(
                "",
                "is no number and no base64 of a decimal's digits; with decimal.handling.mode=string its type is string, with double it is double"));
        return;
      }
      // Before its digits are written out: an exponent may ask for any number of them.
      long digitsOfType = (long) number.precision() - number.scale() + type.getScale();
      if (number.signum() != 0 && digitsOfType > type.getPrecision()) {
        problems.add(new Problem("", outOfRange));
        return;
      }
      BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
      if (shortest.scale() > type.getScale()) {
        problems.add(
            new Problem(
                "",
                "has more than %d digits behind the point, the scale of its type"
                    .formatted(type.getScale())));
        return;
      }
      out.writeBytes(shortest.setScale(type.getScale()).unscaledValue().toByteArray());
    };
  }

  /** Null: it is none. */
  private static BigDecimal digits(JsonNode json, int scale) {
    try {
      byte[] unscaled = json.isTextual() ? json.binaryValue() : new byte[0];
      return unscaled.length == 0 ? null : new BigDecimal(new BigInteger(unscaled), scale);
    } catch (IOException e) {
      return null;
    }
  }

  private static Step union(Schema schema, Map<String, Step> records) {
    List<Schema> types =
        schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    if (types.size() != 1) {
      throw new IllegalArgumentException(
          "is one of %s; JSON does not say which: give it one type, or one and null"
              .formatted(types.stream().map(Schema::getFullName).toList()));
    }
    Step value = step(types.get(0), records);
    int index = schema.getTypes().indexOf(types.get(0));
    boolean nullable = schema.isNullable();
    return (json, out, problems) -> {
      if (nullable && json.isNull()) {
        out.writeIndex(1 - index);
      } else {
        out.writeIndex(index);
        value.write(json, out, problems);
      }
    };
  }

  private static Step array(Step element) {
    return (json, out, problems) -> {
      if (!json.isArray()) {
        refuse(json, "an array", problems);
        return;
      }
      out.writeArrayStart();
      out.setItemCount(json.size());
      for (int i = 0; i < json.size(); i++) {
        out.startItem();
        below("[" + i + "]", element, json.get(i), out, problems);
      }
      out.writeArrayEnd();
    };
  }

  private static Step map(Step value) {
    return (json, out, problems) -> {
      if (!json.isObject()) {
        refuse(json, "an object", problems);
        return;
      }
      out.writeMapStart();
      out.setItemCount(json.size());
      for (Map.Entry<String, JsonNode> member : json.properties()) {
        out.startItem();
        out.writeString(member.getKey());
        below(member.getKey(), value, member.getValue(), out, problems);
      }
      out.writeMapEnd();
    };
  }

  private static void below(
      String name, Step step, JsonNode json, BinaryEncoder out, List<Problem> problems)
      throws IOException {
    int before = problems.size();
    step.write(json, out, problems);
    for (int i = before; i < problems.size(); i++) {
      problems.set(i, problems.get(i).below(name));
    }
  }

  private static Step record(Schema schema, Map<String, Step> records) {
    Step known = records.get(schema.getFullName());
    if (known != null) {
      return known;
    }
    List<Schema.Field> fields = schema.getFields();
    Step[] steps = new Step[fields.size()];
    Step record =
        (json, out, problems) -> {
          if (!json.isObject()) {
            refuse(json, "an object", problems);
            return;
          }
          for (int i = 0; i < steps.length; i++) {
            String name = fields.get(i).name();
            below(name, steps[i], json.path(name), out, problems);
          }
        };
    records.put(schema.getFullName(), record);
    for (int i = 0; i < steps.length; i++) {
      Schema.Field field = fields.get(i);
      try {
        steps[i] = orAbsent(field, step(field.schema(), records));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    return record;
  }

  /** A value, or what stands for one that is not there. */
  private static Step orAbsent(Schema.Field field, Step value) {
    byte[] absent = absent(field);
    return (json, out, problems) -> {
      if (!json.isMissingNode()) {
        value.write(json, out, problems);
      } else if (absent != null) {
        out.writeFixed(absent);
      } else {
        problems.add(new Problem("", "is missing, and the schema has no default for it"));
      }
    };
  }

  /** The bytes of a field's default, or of the null that it may be; null: it must be there. */
  private static byte[] absent(Schema.Field field) {
    if (!field.hasDefaultValue() && !field.schema().isNullable()) {
      return null;
    }
    Object datum = field.hasDefaultValue() ? GenericData.get().getDefaultValue(field) : null;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    try {
      new GenericDatumWriter<>(field.schema()).write(datum, encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
