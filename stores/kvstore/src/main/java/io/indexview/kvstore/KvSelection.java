package io.indexview.kvstore;

import java.util.Objects;

/**
 * Records of one major path: those below a key, and perhaps its own.
 *
 * @param parent a full major path, with any leading run of the minor path
 * @param range restricts the minor component after the parent
 * @param includesParent whether the parent's own record is selected too, whatever the range
 */
public record KvSelection(KvKey parent, KvRange range, boolean includesParent) {
  public KvSelection {
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(range, "range");
  }

  /** The parent and everything below it. */
  public static KvSelection of(KvKey parent) {
    return new KvSelection(parent, KvRange.ALL, true);
  }

  /** Selects everything below the parent whose next component lies in this range. */
  public static KvSelection below(KvKey parent, KvRange range) {
    return new KvSelection(parent, range, false);
  }
}
