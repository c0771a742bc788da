package io.indexview.kvstore;

import java.util.Objects;

/**
 * Records of one major path.
 *
 * @param parent a full major path, with any leading run of the minor path
 * @param range restricts the minor component after the parent; the parent's own record, where the
 *     depth includes it, is selected whatever the range
 */
public record KvSelection(KvKey parent, KvRange range, KvDepth depth) {
  public KvSelection {
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(depth, "depth");
  }

  /** The parent and everything below it. */
  public static KvSelection of(KvKey parent) {
    return new KvSelection(parent, KvRange.ALL, KvDepth.PARENT_AND_DESCENDANTS);
  }

  /** Everything below the parent, the next component in this range. */
  public static KvSelection below(KvKey parent, KvRange range) {
    return new KvSelection(parent, range, KvDepth.DESCENDANTS_ONLY);
  }

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
}
