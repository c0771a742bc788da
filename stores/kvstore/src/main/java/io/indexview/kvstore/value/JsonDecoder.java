package io.indexview.kvstore.value;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.serde.UnionAttempts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** JSON objects in UTF-8, each one whole value. */
final class JsonDecoder implements ValueDecoder {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private final JsonFields fields;

  JsonDecoder(Schema schema) {
    this.fields = new JsonFields(schema);
  }

  @Override
  public GenericRecord decode(byte[] value) throws UndecodableException {
    return fields.record(parse(Utf8Text.of(value)));
  }

  private static JsonNode parse(String text) throws UndecodableException {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      // Jackson's own message quotes the value.
      throw new UndecodableException(
          "the text of %d characters is no JSON, or names a member twice, at line %d, column %d"
              .formatted(text.length(), line(e), column(e)));
    } catch (NumberFormatException e) {
      // Thrown as it is for exponents beyond an int's, with the number in its message.
      throw new UndecodableException(
          "the text of %d characters holds a number with too large an exponent"
              .formatted(text.length()));
    }
  }

  private static int line(JsonProcessingException e) {
    return e.getLocation() == null ? 1 : e.getLocation().getLineNr();
  }

  private static int column(JsonProcessingException e) {
    return e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
  }

  /**
   * JSON as records of a schema, strictly: each member is a field, each field without a default is
   * a member, and nothing is rounded, cut or turned into another type. What does not fit is named
   * by its path.
   */
  static final class JsonFields {
    private final Schema schema;
    private UnionAttempts attempts;

    JsonFields(Schema schema) {
      this.schema = schema;
    }

    GenericRecord record(JsonNode json) throws UndecodableException {
      if (!json.isObject()) {
        throw new UndecodableException(
            "the JSON is no object but %s".formatted(JsonScalars.kind(json)));
      }
      attempts = new UnionAttempts();
      return record(schema, json, "");
    }

    private GenericRecord record(Schema schema, JsonNode json, String path)
        throws UndecodableException {
      if (!json.isObject()) {
        throw JsonScalars.mismatch(path, json, "an object");
      }
      GenericRecord record = new GenericData.Record(schema);
      for (Schema.Field field : schema.getFields()) {
        String name = path.isEmpty() ? field.name() : path + "." + field.name();
        JsonNode member = json.get(field.name());
        if (member != null) {
          record.put(field.pos(), value(field.schema(), member, name));
        } else if (field.hasDefaultValue()) {
          record.put(field.pos(), GenericData.get().getDefaultValue(field));
        } else {
          throw new UndecodableException(
              "field %s is missing, and the schema has no default for it".formatted(name));
        }
      }
      requireOnlyFields(schema, json, path);
      return record;
    }

    private static void requireOnlyFields(Schema schema, JsonNode json, String path)
        throws UndecodableException {
      for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (schema.getField(name) == null) {
          throw new UndecodableException(
              "field %s is not in the schema %s; add it there first"
                  .formatted(path.isEmpty() ? name : path + "." + name, schema.getFullName()));
        }
      }
    }

    private Object value(Schema schema, JsonNode json, String path) throws UndecodableException {
      return switch (schema.getType()) {
        case RECORD -> record(schema, json, path);
        case ARRAY -> array(schema, json, path);
        case MAP -> map(schema, json, path);
        case UNION -> union(schema, json, path);
        default -> JsonScalars.value(schema, json, path);
      };
    }

    private List<Object> array(Schema schema, JsonNode json, String path)
        throws UndecodableException {
      if (!json.isArray()) {
        throw JsonScalars.mismatch(path, json, "an array");
      }
      List<Object> elements = new ArrayList<>(json.size());
      for (int i = 0; i < json.size(); i++) {
        elements.add(value(schema.getElementType(), json.get(i), path + "[" + i + "]"));
      }
      return elements;
    }

    private Map<String, Object> map(Schema schema, JsonNode json, String path)
        throws UndecodableException {
      if (!json.isObject()) {
        throw JsonScalars.mismatch(path, json, "an object");
      }
      Map<String, Object> values = new HashMap<>();
      for (Map.Entry<String, JsonNode> member : json.properties()) {
        String key = JsonScalars.whole(member.getKey(), path);
        values.put(key, value(schema.getValueType(), member.getValue(), path + "." + key));
      }
      return values;
    }

    /** Null where null may be, else the first type that fits. */
    private Object union(Schema schema, JsonNode json, String path) throws UndecodableException {
      if (json.isNull() && schema.isNullable()) {
        return null;
      }
      List<Schema> types =
          schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
      if (types.size() == 1) {
        return value(types.get(0), json, path);
      }
      for (Schema type : types) {
        if (attempts.areSpent()) {
          break;
        }
        boolean failed = false;
        attempts.begin();
        try {
          return value(type, json, path);
        } catch (UndecodableException e) {
          // The next one may fit.
          failed = json.isContainerNode();
        } finally {
          attempts.end(failed);
        }
      }
      throw JsonScalars.mismatch(
          path, json, "one of " + String.join(", ", types.stream().map(Schema::getName).toList()));
    }
  }
}
