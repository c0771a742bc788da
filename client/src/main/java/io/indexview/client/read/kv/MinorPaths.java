package io.indexview.client.read.kv;

import io.indexview.kvstore.KvDepth;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvSelection;
import java.util.ArrayList;
import java.util.List;

/**
 * Selections that together are a part of one major path, in the order of reading. One selection
 * ranges over one component only, so what lies beyond a key takes one for each of its components.
 */
final class MinorPaths {
  private MinorPaths() {}

  /** Everything below the parent whose next component is in the range. */
  static List<KvSelection> whole(KvKey parent, ComponentRange range, boolean forward) {
    return range.whole(forward).map(below -> KvSelection.below(parent, below)).stream().toList();
  }

  /**
   * Of {@link #whole} only what comes after a key, whether or not that is still there.
   *
   * @param after a key below the parent, its next component in the range
   */
  static List<KvSelection> beyond(
      KvKey parent, ComponentRange range, KvKey after, boolean forward) {
    List<KvSelection> selections = new ArrayList<>();
    int first = parent.minor().size();
    int last = after.minor().size() - 1;
    if (forward) {
      // A key comes before those that it begins.
      selections.add(KvSelection.below(after, KvRange.ALL));
    }
    for (int i = last; i > first; i--) {
      KvKey above = new KvKey(after.major(), after.minor().subList(0, i));
      String component = after.minor().get(i);
      selections.add(
          forward
              ? KvSelection.below(above, KvRange.from(component, false))
              : new KvSelection(
                  above, KvRange.to(component, false), KvDepth.PARENT_AND_DESCENDANTS));
    }
    range
        .beyond(after.minor().get(first), forward)
        .ifPresent(below -> selections.add(KvSelection.below(parent, below)));
    return selections;
  }
}
