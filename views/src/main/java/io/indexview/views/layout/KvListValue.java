package io.indexview.views.layout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The value of a record that lists rows: a JSON array of what key/value rows have as values, one
 * for each primary key, in the order of those.
 */
final class KvListValue {
  private final KvRowValue rowValue;
  private final int maxElements;

  /**
   * @param maxElements rows and deletion markers that it holds at most
   */
  KvListValue(KvRowValue rowValue, int maxElements) {
    this.rowValue = rowValue;
    this.maxElements = maxElements;
  }

  static byte[] of(JsonNode element) {
    return KvRowValue.bytes(JsonNodeFactory.instance.arrayNode().add(element));
  }

  private static byte[] bytes(SortedMap<String, JsonNode> elements) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    array.addAll(elements.values());
    return KvRowValue.bytes(array);
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

  /** See {@link KvLayout#merged}. */
  Optional<byte[]> merged(byte[] current, byte[] change) {
    if (current == null) {
      return Optional.of(change);
    }
    SortedMap<String, JsonNode> elements = elements(current);
    boolean isChanged = false;
    for (Map.Entry<String, JsonNode> element : elements(change).entrySet()) {
      JsonNode present = elements.get(element.getKey());
      boolean isNewer =
          present == null
              ? hasRoom(elements, element.getValue())
              : KvRowValue.revision(present) < KvRowValue.revision(element.getValue());
      if (isNewer) {
        elements.put(element.getKey(), element.getValue());
        isChanged = true;
      }
    }
    return isChanged ? Optional.of(bytes(elements)) : Optional.empty();
  }

  /** A full list takes no marker of what it does not hold: it takes no late row either. */
  private boolean hasRoom(SortedMap<String, JsonNode> elements, JsonNode element) {
    if (elements.size() < maxElements) {
      return true;
    }
    if (KvRowValue.isMarker(element)) {
      return false;
    }
    long deleted = elements.values().stream().filter(KvRowValue::isMarker).count();
    throw new LayoutException(
        ("the list is full: it holds %d primary keys and %d deleted ones that are still remembered,"
                + " maxElements is %d; use layout: key-value, or raise maxElements")
            .formatted(elements.size() - deleted, deleted, maxElements));
  }

  /** See {@link KvLayout#withoutMarkers}. */
  Optional<byte[]> withoutMarkers(byte[] value, long before) {
    SortedMap<String, JsonNode> elements = elements(value);
    boolean isChanged =
        elements
            .values()
            .removeIf(
                element -> KvRowValue.isMarker(element) && KvRowValue.revision(element) < before);
    if (!isChanged) {
      return Optional.of(value);
    }
    return elements.isEmpty() ? Optional.empty() : Optional.of(bytes(elements));
  }
}
