package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.PlainValues;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** The value of a key/value row: JSON, readable without any schema. */
final class KvRowValue {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final List<ViewFields.ValueField> fields;
  private final Target.PrimaryKeyForm form;

  KvRowValue(List<ViewFields.ValueField> fields, Target.PrimaryKeyForm form) {
    this.fields = fields;
    this.form = form;
  }

  ObjectNode row(String primaryKey, Function<String, ?> value, long revision) {
    ObjectNode json = head(primaryKey, revision);
    for (ViewFields.ValueField field : fields) {
      try {
        Object plain = PlainValues.of(field.schema(), value.apply(field.name()));
        json.set(field.name(), JsonValues.toJson(plain));
      } catch (IllegalArgumentException e) {
        throw new LayoutException("field \"%s\": %s".formatted(field.name(), e.getMessage()), e);
      }
    }
    return json;
  }

  ObjectNode tombstone(String primaryKey, long revision) {
    return head(primaryKey, revision).put(KvRowHead.DELETED, true);
  }

  private ObjectNode head(String primaryKey, long revision) {
    ObjectNode json = JSON.createObjectNode();
    if (form == Target.PrimaryKeyForm.COMPONENTS) {
      PrimaryKeyPath.split(primaryKey).forEach(json.putArray(ViewFields.PRIMARY_KEY)::add);
    } else {
      json.put(ViewFields.PRIMARY_KEY, primaryKey);
    }
    return json.put(ViewFields.REVISION, revision);
  }

  static byte[] bytes(JsonNode json) {
    try {
      return JSON.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values is always JSON", e);
    }
  }

  static JsonNode tree(byte[] value) {
    try {
      return JSON.readTree(value);
    } catch (IOException e) {
      throw new LayoutException(
          "the row's value of %d bytes is not JSON".formatted(value.length), e);
    }
  }

  private static long revision(JsonNode json) {
    JsonNode revision = json.path(ViewFields.REVISION);
    if (!revision.isIntegralNumber()) {
      throw new LayoutException("the row's value lacks " + ViewFields.REVISION);
    }
    return revision.longValue();
  }

  private static boolean isTombstone(JsonNode json) {
    return json.path(KvRowHead.DELETED).asBoolean();
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

  StoredRow decode(Map<String, Object> key, JsonNode json) {
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
}
