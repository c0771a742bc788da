package io.indexview.dynamodb;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Conditions as expressions; every name goes through a placeholder. */
final class Conditions {
  private Conditions() {}

  static String expression(WriteCondition condition) {
    if (condition instanceof Fence) {
      return "attribute_not_exists(#a) OR #a <= :a";
    }
    return number(condition) == null ? "attribute_not_exists(#a)" : "#a = :a";
  }

  static Map<String, String> names(WriteCondition condition) {
    return Map.of("#a", condition.attribute());
  }

  /** Null if the expression has no value: the store takes no empty map. */
  static Map<String, AttributeValue> values(WriteCondition condition) {
    Long number = number(condition);
    return number == null ? null : Map.of(":a", AttributeValue.fromN(number.toString()));
  }

  private static Long number(WriteCondition condition) {
    return condition instanceof Fence fence
        ? Long.valueOf(fence.value())
        : ((Expected) condition).value();
  }
}
