package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import java.util.ArrayList;
import java.util.List;

/** Keys and versions of records as requests say them; what cannot be read says so to the user. */
final class RecordKeys {
  static final String REMEDY =
      "use a key path as text, /major/path or /major/path/-/minor/path, or as an array of its major"
          + " components";

  private RecordKeys() {}

  /**
   * The key of a text.
   *
   * @throws IllegalArgumentException if it is none
   */
  static KvKey key(String text) {
    try {
      return KvKey.fromString(text);
    } catch (KvStoreException.Refused e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  static boolean isKey(JsonNode json) {
    return json.isTextual() || (json.isArray() && json.valueStream().allMatch(JsonNode::isTextual));
  }

  /**
   * The key of a text or an array of texts.
   *
   * @throws IllegalArgumentException if it is none
   */
  static KvKey key(JsonNode json) {
    if (json.isTextual()) {
      return key(json.textValue());
    }
    List<String> major = new ArrayList<>(json.size());
    json.forEach(component -> major.add(component.textValue()));
    try {
      return new KvKey(major, List.of());
    } catch (KvStoreException.Refused e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Reads {@link KvVersion#toString} back.
   *
   * @throws IllegalArgumentException if it is none
   */
  static KvVersion version(String text) {
    int colon = text.lastIndexOf(':');
    try {
      if (colon > 0) {
        return new KvVersion(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(versionRemedy(), e);
    }
    throw new IllegalArgumentException(versionRemedy());
  }

  static String versionRemedy() {
    return "use a version as an answer gave it";
  }
}
