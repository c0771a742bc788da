package io.indexview.views.layout;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The value of a record that lists rows: a JSON array of what key/value rows have as values, one
 * for each primary key, in the order of those.
 */
final class KvListValue {
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
