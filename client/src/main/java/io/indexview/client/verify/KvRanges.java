package io.indexview.client.verify;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ranges of the key component behind a parent, in ascending order, that a scan goes through one
 * after the other: so that it can go on with one of them.
 *
 * @param ranges without a gap, the last one without an end
 */
record KvRanges(List<KvRange> ranges) {
  KvRanges {
    ranges = List.copyOf(ranges);
  }

  /**
   * Ranges between keys.
   *
   * @param keys where ranges end, in any order, also several times
   * @param from value of the component that the first range begins with; empty: the lowest
   */
  static KvRanges of(List<KvKey> keys, KvKey parent, Optional<String> from) {
    List<KvRange> ranges = new ArrayList<>();
    int component = parent.major().size();
    String start = from.orElse(null);
    List<String> bounds =
        keys.stream()
            .filter(key -> key.major().size() > component && parent.isMajorPrefixOf(key))
            .map(key -> KvKey.ofMajor(key.major().get(component)))
            .sorted()
            .map(key -> key.major().get(0))
            .distinct()
            .toList();
    for (String bound : bounds) {
      if (isAbove(bound, start)) {
        ranges.add(new KvRange(start, true, bound, false, false));
        start = bound;
      }
    }
    ranges.add(new KvRange(start, true, null, true, false));
    return new KvRanges(ranges);
  }

  /** By the order of Java, too: ranges are in order by both. */
  private static boolean isAbove(String bound, String start) {
    return start == null
        ? !bound.isEmpty()
        : KvKey.ofMajor(bound).compareTo(KvKey.ofMajor(start)) > 0 && bound.compareTo(start) > 0;
  }

  /** Whether one range has all. */
  boolean isWhole() {
    return ranges.size() == 1 && ranges.get(0).isAll();
  }
}
