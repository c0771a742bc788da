package io.indexview.client.read.kv;

import io.indexview.kvstore.KvKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Where a row lies.
 *
 * @param element primary key of a row in a list; empty: the record holds one row
 */
record RowPosition(KvKey key, String element) implements Comparable<RowPosition> {
  private static final String KEY = "key";
  private static final String ELEMENT = "element";
  private static final Comparator<RowPosition> ORDER =
      Comparator.comparing(RowPosition::key).thenComparing(RowPosition::element);

  static RowPosition of(Map<String, Object> position) {
    return new RowPosition(
        KvKey.fromString((String) position.get(KEY)), (String) position.getOrDefault(ELEMENT, ""));
  }

  Map<String, Object> toMap() {
    Map<String, Object> position = new HashMap<>();
    position.put(KEY, key.toString());
    if (!element.isEmpty()) {
      position.put(ELEMENT, element);
    }
    return position;
  }

  @Override
  public int compareTo(RowPosition other) {
    return ORDER.compare(this, other);
  }
}
