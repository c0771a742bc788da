package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.PlainValues;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** The value of a key/value row: JSON, readable without any schema. */
final class KvRowValue {
  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final String DELETED = "_deleted";

  private final List<ViewFields.ValueField> fields;

  KvRowValue(List<ViewFields.ValueField> fields) {
    this.fields = fields;
  }

  byte[] encode(String primaryKey, Function<String, ?> value, long revision) {
    ObjectNode json = JSON.createObjectNode();
    json.put(ViewFields.PRIMARY_KEY, primaryKey);
    json.put(ViewFields.REVISION, revision);
    for (ViewFields.ValueField field : fields) {
      try {
        Object plain = PlainValues.of(field.schema(), value.apply(field.name()));
        json.set(field.name(), JsonValues.toJson(plain));
      } catch (IllegalArgumentException e) {
        throw new LayoutException("field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    return bytes(json);
  }

  byte[] encodeDeleted(String primaryKey, long revision) {
    ObjectNode json = JSON.createObjectNode();
    json.put(ViewFields.PRIMARY_KEY, primaryKey);
    json.put(ViewFields.REVISION, revision);
    json.put(DELETED, true);
    return bytes(json);
  }

  private static byte[] bytes(ObjectNode json) {
    try {
      return JSON.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values is always JSON", e);
    }
  }

  StoredRow decode(Map<String, Object> key, byte[] value) {
    JsonNode json;
    try {
      json = JSON.readTree(value);
    } catch (IOException e) {
      throw new LayoutException(
          "the row's value of %d bytes is not JSON".formatted(value.length), e);
    }
    JsonNode primaryKey = json.path(ViewFields.PRIMARY_KEY);
    JsonNode revision = json.path(ViewFields.REVISION);
    if (!primaryKey.isTextual() || !revision.isIntegralNumber()) {
      throw new LayoutException(
          "the row's value lacks %s or %s".formatted(ViewFields.PRIMARY_KEY, ViewFields.REVISION));
    }
    boolean deleted = json.path(DELETED).asBoolean();
    Map<String, Object> values = new LinkedHashMap<>();
    for (ViewFields.ValueField field : deleted ? List.<ViewFields.ValueField>of() : fields) {
      try {
        values.put(field.name(), JsonValues.fromJson(field.schema(), json.path(field.name())));
      } catch (IllegalArgumentException e) {
        throw new LayoutException("field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    return new StoredRow(
        key, primaryKey.textValue(), values, OptionalLong.of(revision.longValue()), deleted);
  }
}
