package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Holds a write off from an item whose two numbers are higher: the major one, or with an equal one
 * the minor one. An item without the major number is compared by the minor one alone; an item
 * without the minor one, and no item at all, holds nothing off. Equal numbers hold nothing off
 * either, so that a write can be repeated.
 */
public record PairFence(Fence major, Fence minor) implements WriteCondition {
  public PairFence {
    Objects.requireNonNull(major, "major");
    Objects.requireNonNull(minor, "minor");
  }

  @Override
  public List<String> attributes() {
    return List.of(major.attribute(), minor.attribute());
  }

  @Override
  public boolean holds(Map<String, Object> item) {
    if (!item.containsKey(minor.attribute())) {
      return true;
    }
    if (!item.containsKey(major.attribute())) {
      return minor.holds(item);
    }
    if (!(item.get(major.attribute()) instanceof BigDecimal number)) {
      return false;
    }
    int order = number.compareTo(BigDecimal.valueOf(major.value()));
    return order < 0 || (order == 0 && minor.holds(item));
  }
}
