package io.indexview.dynamodb;

import java.util.List;
import java.util.Map;

/** What must hold of the stored item for a write to be applied. */
public sealed interface WriteCondition permits Fence, PairFence, Expected {
  /** The attributes that are compared. */
  List<String> attributes();

  /** Whether the condition holds of an item; an empty one stands for none. */
  boolean holds(Map<String, Object> item);
}
