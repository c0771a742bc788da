package io.indexview.client.read.dynamodb;

import io.indexview.views.encoding.FieldType;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Order of items by their key attributes, as the store orders those that share a partition. */
final class ItemOrder implements Comparator<Map<String, Object>> {
  private final List<String> attributes;

  ItemOrder(List<String> attributes) {
    this.attributes = attributes;
  }

  @Override
  public int compare(Map<String, Object> left, Map<String, Object> right) {
    for (String attribute : attributes) {
      int order = compareValues(left.get(attribute), right.get(attribute));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compareValues(Object left, Object right) {
    return left instanceof Number
        ? new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString()))
        : FieldType.STRING.compare(left, right);
  }
}
