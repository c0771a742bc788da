package io.indexview.dynamodb;

import java.util.Map;

/** What must hold of the stored item for a write to be applied. */
public sealed interface WriteCondition permits Fence, Expected {
  /** The attribute that is looked at. */
  String attribute();

  /** Whether the condition holds of an item; an empty one stands for none. */
  boolean holds(Map<String, Object> item);
}
