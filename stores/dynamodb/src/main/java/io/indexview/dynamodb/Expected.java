package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Holds a write off from an item whose number in an attribute is not the expected one.
 *
 * @param value null: no item is expected, or one without the attribute
 */
public record Expected(String attribute, Long value) implements WriteCondition {
  public Expected {
    Objects.requireNonNull(attribute, "attribute");
  }

  @Override
  public List<String> attributes() {
    return List.of(attribute);
  }

  @Override
  public boolean holds(Map<String, Object> item) {
    return value == null
        ? !item.containsKey(attribute)
        : item.get(attribute) instanceof BigDecimal number
            && number.compareTo(BigDecimal.valueOf(value)) == 0;
  }
}
