package io.indexview.kvstore;

/**
 * A restriction of the component that follows a parent path, in the store's order.
 *
 * @param start lower bound, or null for none; for a prefix, the prefix
 * @param end upper bound, or null for none
 * @param isPrefix whether components that begin with {@code start} are meant
 */
public record KvRange(
    String start, boolean startInclusive, String end, boolean endInclusive, boolean isPrefix) {
  /** Every component. */
  public static final KvRange ALL = new KvRange(null, true, null, true, false);

  /**
   * @throws IllegalArgumentException if no component can lie between the bounds
   */
  public KvRange {
    if (isPrefix && (start == null || end != null)) {
      throw new IllegalArgumentException("A prefix range has a prefix and nothing else.");
    }
    if (start != null && end != null) {
      int order = KeyOrder.compareComponents(start, end);
      // Oracle's client compares as Java does, which differs for NUL: what it refuses, all refuse.
      boolean refused = order > 0 || start.compareTo(end) > 0;
      if (refused || (order == 0 && !(startInclusive && endInclusive))) {
        throw new IllegalArgumentException(
            "The range's start '%s' must be less than its end '%s'.".formatted(start, end));
      }
    }
  }

  /** Components that begin with this text; an empty text means every component. */
  public static KvRange prefix(String prefix) {
    return prefix.isEmpty() ? ALL : new KvRange(prefix, true, null, true, true);
  }

  /** Returns a range that includes both bounds. */
  public static KvRange closed(String start, String end) {
    return new KvRange(start, true, end, true, false);
  }

  public static KvRange from(String start, boolean inclusive) {
    return new KvRange(start, inclusive, null, true, false);
  }

  public static KvRange to(String end, boolean inclusive) {
    return new KvRange(null, true, end, inclusive, false);
  }

  public boolean isAll() {
    return start == null && end == null;
  }

  public boolean contains(String component) {
    if (isPrefix) {
      return component.startsWith(start);
    }
    if (start != null) {
      int order = KeyOrder.compareComponents(component, start);
      if (order < 0 || (order == 0 && !startInclusive)) {
        return false;
      }
    }
    if (end != null) {
      int order = KeyOrder.compareComponents(component, end);
      return order < 0 || (order == 0 && endInclusive);
    }
    return true;
  }
}
