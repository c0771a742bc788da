package io.indexview.streams.health;

/**
 * Learns which views are wrong because a record cannot be derived. Called on stream threads, before
 * the transaction of the record ends; it must not block.
 */
public interface ViewHealth {

  /**
   * One more record has no rows in the view although it might have some.
   *
   * @param reason what is wrong with the record; never its content
   */
  void degraded(String view, int generation, String reason);

  /** A record that had degraded the view was superseded by one that can be derived, or deleted. */
  void recovered(String view, int generation);
}
