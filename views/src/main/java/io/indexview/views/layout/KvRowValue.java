package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.KvPath.PrimaryKeyPath;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The value of a key/value row: JSON, readable without any schema. */
final class KvRowValue {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private static final JsonFactory FACTORY = JSON.getFactory();

  private final List<ViewFields.ValueField> fields;

  /** Names of the fields. */
  private final List<SerializedString> names;

  /** Scalar types of the fields; empty: the field has none. */
  private final List<Optional<FieldType>> scalars;

  private final Target.PrimaryKeyForm form;

  /** Null: there is none, values are parsed. */
  private final KvRowPlan plan;

  KvRowValue(List<ViewFields.ValueField> fields, Target.PrimaryKeyForm form) {
    this.fields = fields;
    this.names = fields.stream().map(field -> new SerializedString(field.name())).toList();
    this.scalars =
        fields.stream()
            .map(field -> FieldType.of(PlainValues.withoutNull(field.schema())))
            .toList();
    this.form = form;
    this.plan = form == Target.PrimaryKeyForm.COMPONENTS ? null : KvRowPlan.of(fields);
  }

  byte[] row(String primaryKey, Function<String, ?> value, long revision, boolean isListed) {
    return bytes(
        isListed,
        json -> {
          writeHead(primaryKey, revision, json);
          for (int i = 0; i < fields.size(); i++) {
            ViewFields.ValueField field = fields.get(i);
            FieldType scalar = scalars.get(i).orElse(null);
            Object plain;
            try {
              Object given = value.apply(field.name());
              plain =
                  scalar == null ? PlainValues.of(field.schema(), given) : scalar.normalise(given);
            } catch (IllegalArgumentException e) {
              throw new LayoutException(
                  "field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
            }
            json.writeFieldName(names.get(i));
            JsonValues.write(plain, json);
          }
        });
  }

  byte[] tombstone(String primaryKey, long revision, boolean isListed) {
    return bytes(
        isListed,
        json -> {
          writeHead(primaryKey, revision, json);
          json.writeBooleanField(KvRowHead.DELETED, true);
        });
  }

  private interface Writing {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * The bytes of an object.
   *
   * @param isListed whether it is the only element of an array
   */
  private static byte[] bytes(boolean isListed, Writing fields) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder();
        JsonGenerator json = FACTORY.createGenerator(bytes)) {
      if (isListed) {
        json.writeStartArray();
      }
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
      if (isListed) {
        json.writeEndArray();
      }
      json.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new IllegalStateException("plain values are always JSON", e);
    }
  }

  private void writeHead(String primaryKey, long revision, JsonGenerator json) throws IOException {
    json.writeFieldName(ViewFields.PRIMARY_KEY);
    if (form == Target.PrimaryKeyForm.COMPONENTS) {
      json.writeStartArray();
      for (String component : PrimaryKeyPath.split(primaryKey)) {
        json.writeString(component);
      }
      json.writeEndArray();
    } else {
      json.writeString(primaryKey);
    }
    json.writeNumberField(ViewFields.REVISION, revision);
  }

  private static JsonNode tree(byte[] value) {
    try {
      return JSON.readTree(value);
    } catch (IOException e) {
      throw new LayoutException(
          "the row's value of %d bytes is not JSON".formatted(value.length), e);
    }
  }

  private static long revision(JsonNode json) {
    JsonNode revision = json.path(ViewFields.REVISION);
    if (!revision.isIntegralNumber() || !revision.canConvertToLong()) {
      throw new LayoutException("the row's value lacks " + ViewFields.REVISION);
    }
    return revision.longValue();
  }

  private static boolean isTombstone(JsonNode json) {
    return json.path(KvRowHead.DELETED).booleanValue();
  }

  /** The primary key in either form, whichever the view has. */
  static String primaryKey(JsonNode json) {
    JsonNode primaryKey = json.path(ViewFields.PRIMARY_KEY);
    if (primaryKey.isTextual()) {
      return primaryKey.textValue();
    }
    List<String> components = new ArrayList<>();
    primaryKey.elements().forEachRemaining(each -> components.add(each.textValue()));
    if (!primaryKey.isArray() || components.isEmpty() || components.contains(null)) {
      throw new LayoutException("the row's value lacks " + ViewFields.PRIMARY_KEY);
    }
    return PrimaryKeyPath.join(components);
  }

  /**
   * The primary key of a value that surely is a row, and no tombstone, seen without decoding it;
   * null: decoding tells what it is. It is not null of what {@link #row} makes if all fields are
   * scalars and the primary key is not held as components.
   */
  String primaryKeyOfPlain(byte[] value) {
    return plan == null ? null : plan.primaryKey(value);
  }

  /** The row of a value that is no list. */
  StoredRow read(Map<String, Object> key, byte[] value) {
    StoredRow row = plan == null ? null : plan.read(key, value);
    return row == null ? decode(key, tree(value)) : row;
  }

  private StoredRow decode(Map<String, Object> key, JsonNode json) {
    boolean deleted = isTombstone(json);
    Map<String, Object> values = new LinkedHashMap<>();
    for (ViewFields.ValueField field : deleted ? List.<ViewFields.ValueField>of() : fields) {
      try {
        values.put(field.name(), JsonValues.fromJson(field.schema(), json.path(field.name())));
      } catch (IllegalArgumentException | DateTimeException e) {
        throw new LayoutException("field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    return new StoredRow(key, primaryKey(json), values, OptionalLong.of(revision(json)), deleted);
  }

  /**
   * The value of a record that lists rows: a JSON array of what key/value rows have as values, one
   * for each primary key, in the order of those.
   */
  static final class KvListValue {
    private final KvRowValue rowValue;

    KvListValue(KvRowValue rowValue) {
      this.rowValue = rowValue;
    }

    private static SortedMap<String, JsonNode> elements(byte[] value) {
      JsonNode json = KvRowValue.tree(value);
      if (!json.isArray()) {
        throw new LayoutException("the value is no array of rows");
      }
      SortedMap<String, JsonNode> elements = new TreeMap<>();
      json.elements()
          .forEachRemaining(element -> elements.put(KvRowValue.primaryKey(element), element));
      return elements;
    }

    List<StoredRow> rows(Map<String, Object> key, byte[] value) {
      List<StoredRow> rows = new ArrayList<>();
      elements(value).values().forEach(element -> rows.add(rowValue.decode(key, element)));
      return rows;
    }
  }
}
