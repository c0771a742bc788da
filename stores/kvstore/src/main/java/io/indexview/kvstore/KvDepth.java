package io.indexview.kvstore;

/** Which records below a parent key are meant. */
public enum KvDepth {
  CHILDREN_ONLY(false, false),
  PARENT_AND_CHILDREN(true, false),
  DESCENDANTS_ONLY(false, true),
  PARENT_AND_DESCENDANTS(true, true);

  private final boolean parent;
  private final boolean allDescendants;

  KvDepth(boolean parent, boolean allDescendants) {
    this.parent = parent;
    this.allDescendants = allDescendants;
  }

  /** Whether the record of the parent key itself is meant. */
  public boolean includesParent() {
    return parent;
  }

  /** Whether more than the immediate children are meant. */
  public boolean includesAllDescendants() {
    return allDescendants;
  }

  /** The same depth without the parent's own record. */
  public KvDepth withoutParent() {
    return allDescendants ? DESCENDANTS_ONLY : CHILDREN_ONLY;
  }
}
