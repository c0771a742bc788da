package io.indexview.client.read.kv;

import io.indexview.kvstore.KvRange;
import java.util.Optional;

/**
 * Which texts the key component after a parent may have, in the store's order.
 *
 * @param from null: open
 * @param to null: open
 * @param prefix null: any; else there are no bounds
 */
record ComponentRange(
    String from, boolean fromIncluded, String to, boolean toIncluded, String prefix) {
  static final ComponentRange ALL = new ComponentRange(null, true, null, true, null);

  static ComponentRange prefix(String prefix) {
    return new ComponentRange(null, true, null, true, prefix);
  }

  boolean contains(String component) {
    if (prefix != null) {
      return component.startsWith(prefix);
    }
    return (from == null || KvRange.from(from, fromIncluded).contains(component))
        && (to == null || KvRange.to(to, toIncluded).contains(component));
  }

  /**
   * Where to read in the direction given; empty: nothing can be there. It begins where this range
   * does, but may end later: see {@link #contains}.
   */
  Optional<KvRange> whole(boolean forward) {
    return prefix == null ? bounded(forward) : Optional.of(KvRange.prefix(prefix));
  }

  /** The same from a component of this range on, which is left out itself. */
  Optional<KvRange> beyond(String component, boolean forward) {
    ComponentRange rest =
        forward
            ? new ComponentRange(component, false, to, toIncluded, null)
            : new ComponentRange(from, fromIncluded, component, false, null);
    return rest.bounded(forward);
  }

  private Optional<KvRange> bounded(boolean forward) {
    if (from == null || to == null) {
      return Optional.of(new KvRange(from, fromIncluded, to, toIncluded, false));
    }
    boolean none =
        from.equals(to) ? !(fromIncluded && toIncluded) : !KvRange.from(from, false).contains(to);
    if (none) {
      return Optional.empty();
    }
    if (from.compareTo(to) > 0) {
      // In the store's order, but not in Java's, which Oracle's client goes by.
      return Optional.of(forward ? KvRange.from(from, fromIncluded) : KvRange.to(to, toIncluded));
    }
    return Optional.of(new KvRange(from, fromIncluded, to, toIncluded, false));
  }
}
