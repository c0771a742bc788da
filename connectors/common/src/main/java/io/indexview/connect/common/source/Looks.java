package io.indexview.connect.common.source;

/**
 * The complete looks of a slice that others need to know of.
 *
 * @param last null before the first
 * @param lastForced the last resnapshot, which later looks do not replace; null before the first
 */
public record Looks(Look last, Look lastForced) {
  public static final Looks NONE = new Looks(null, null);

  /** After one more look. */
  public Looks and(Look look) {
    return new Looks(look, look.forced() ? look : lastForced);
  }

  /** Number of the last look; 0 before the first. */
  public long count() {
    return last == null ? 0 : last.number();
  }

  /** The highest request that was answered; 0: none. */
  public long answered() {
    return lastForced == null ? 0 : lastForced.request();
  }
}
