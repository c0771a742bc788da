package io.indexview.connect.s3.index;

import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.order.Entry;
import java.util.Map;
import java.util.Optional;

/**
 * What the index holds of one object: the base of the next snapshot read of it.
 *
 * @param entry null: nothing
 * @param hasGap the index may have missed something of it: without a base to trust a snapshot read
 *     only passes if it is marked as one of an ad-hoc snapshot
 */
public record Known(Entry entry, boolean hasGap) {
  /**
   * A read says of an object that it is there, not since when. It may fill in a key of which
   * nothing is known, but the delete of a change event may well be newer than the read. The base of
   * a deleted entry without a version says just that: it equals no entry that a change event left,
   * and agrees with none at all.
   */
  public static final Origin.Base NOTHING_KNOWN = Origin.Base.of(null, true);

  /** Stands for an object of which nothing is known, nor could be. */
  public static final Known NONE = new Known(null, false);

  /** Base for the event of a read; take it before the object is read. */
  public Origin.Base base() {
    return entry == null ? NOTHING_KNOWN : Origin.Base.of(entry.version(), entry.deleted());
  }

  /** Whether there is a record of the object. */
  public boolean isAlive() {
    return entry != null && !entry.deleted();
  }

  /**
   * Whether the index holds what a read found.
   *
   * @param found empty: the object is not there
   */
  public boolean agrees(Optional<ObjectInfo> found) {
    return found.isEmpty()
        ? !isAlive()
        : isAlive() && Facts.decode(entry.value()).fits(found.get());
  }

  /**
   * Whether an event, or one after it, is what the index holds: it was not superseded.
   *
   * @param end the event's partition and the offset after it
   */
  public boolean isOfOrAfter(Map<Integer, Long> end) {
    return entry != null && end.values().stream().allMatch(offset -> entry.offset() >= offset - 1);
  }
}
