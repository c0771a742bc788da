package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What must hold of the stored item for a write to be applied. */
public sealed interface WriteCondition {
  /** The attributes that are compared. */
  List<String> attributes();

  /** Whether the condition holds of an item; an empty one stands for none. */
  boolean holds(Map<String, Object> item);

  /**
   * Holds a write off from an item whose number in an attribute is not the expected one.
   *
   * @param value null: no item is expected, or one without the attribute
   */
  record Expected(String attribute, Long value) implements WriteCondition {
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

  /**
   * Holds a write off from an item whose two numbers are higher: the major one, or with an equal
   * one the minor one. An item without the major number is compared by the minor one alone; an item
   * without the minor one, and no item at all, holds nothing off. Equal numbers hold nothing off
   * either, so that a write can be repeated.
   */
  record PairFence(Fence major, Fence minor) implements WriteCondition {
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

  /**
   * Holds a write off from an item whose number in an attribute is higher. An item without the
   * attribute, and no item at all, holds nothing off; neither does an equal number, so that a write
   * can be repeated.
   */
  record Fence(String attribute, long value) implements WriteCondition {
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
}
