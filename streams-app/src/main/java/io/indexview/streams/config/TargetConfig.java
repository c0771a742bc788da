package io.indexview.streams.config;

/**
 * A target, and the sink that writes its rows.
 *
 * @param name as in view definitions and topic names
 * @param sinkGroup consumer group of its sink
 * @param deadLetterTopic where the sink puts rows that it cannot apply
 * @param isFenced whether the sink never replaces newer rows, and so needs rows that hold their
 *     revision
 */
public record TargetConfig(
    String name, String sinkGroup, String deadLetterTopic, Removal removal, boolean isFenced) {

  /** How the rows of a generation that is not needed any more leave the target. */
  public enum Removal {
    /** The sink removes them when the view topic's control record tells it to. */
    NATIVE,
    /** The app writes a tombstone for every row, which any sink understands. */
    TOMBSTONES
  }
}
