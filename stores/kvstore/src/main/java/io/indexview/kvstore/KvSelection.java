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
}
