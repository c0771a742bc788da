package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Holds a write off from an item whose number in an attribute is higher. An item without the
 * attribute, and no item at all, holds nothing off; neither does an equal number, so that a write
 * can be repeated.
 */
public record Fence(String attribute, long value) implements WriteCondition {
  public Fence {
    Objects.requireNonNull(attribute, "attribute");
  }

  @Override
  public List<String> attributes() {
    return List.of(attribute);
  }

  @Override
  public boolean holds(Map<String, Object> item) {
    return !item.containsKey(attribute)
        || (item.get(attribute) instanceof BigDecimal number
            && number.compareTo(BigDecimal.valueOf(value)) <= 0);
  }
}
