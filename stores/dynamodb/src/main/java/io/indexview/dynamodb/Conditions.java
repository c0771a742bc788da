package io.indexview.dynamodb;

import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.dynamodb.WriteCondition.PairFence;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Conditions as expressions; every name goes through a placeholder. */
final class Conditions {
  private Conditions() {}

  static String expression(WriteCondition condition) {
    if (condition instanceof Fence) {
      return "attribute_not_exists(#a) OR #a <= :a";
    }
    if (condition instanceof PairFence) {
      return "attribute_not_exists(#b) OR #a < :a"
          + " OR ((attribute_not_exists(#a) OR #a = :a) AND #b <= :b)";
    }
    return values(condition) == null ? "attribute_not_exists(#a)" : "#a = :a";
  }

  static Map<String, String> names(WriteCondition condition) {
    List<String> attributes = condition.attributes();
    return attributes.size() == 1
        ? Map.of("#a", attributes.get(0))
        : Map.of("#a", attributes.get(0), "#b", attributes.get(1));
  }

  /** Null if the expression has no value: the store takes no empty map. */
  static Map<String, AttributeValue> values(WriteCondition condition) {
    if (condition instanceof Fence fence) {
      return Map.of(":a", number(fence.value()));
    }
    if (condition instanceof PairFence pair) {
      return Map.of(":a", number(pair.major().value()), ":b", number(pair.minor().value()));
    }
    Long expected = ((Expected) condition).value();
    return expected == null ? null : Map.of(":a", number(expected));
  }

  private static AttributeValue number(long value) {
    return AttributeValue.fromN(Long.toString(value));
  }
}
