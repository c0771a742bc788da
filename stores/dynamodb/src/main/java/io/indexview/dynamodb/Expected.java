package io.indexview.dynamodb;

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
}
