package io.indexview.streams.derive;

/**
 * Where an event came in all topics that had the name, one after the other: those of a topic that
 * was created anew come after all those of the topics before. In the first topic it is the offset.
 */
public final class EventPositions {
  private static final int OFFSET_BITS = 44;

  private EventPositions() {}

  /**
   * @param incarnation how many topics had the name before
   */
  public static long of(int incarnation, long offset) {
    return ((long) incarnation << OFFSET_BITS) + offset;
  }

  /** The offset in its own topic. */
  public static long offset(long position) {
    return position & ((1L << OFFSET_BITS) - 1);
  }
}
