package io.indexview.dynamodb;

/** What must hold of the stored item for a write to be applied. */
public sealed interface WriteCondition permits Fence, Expected {
  /** The attribute that is looked at. */
  String attribute();
}
