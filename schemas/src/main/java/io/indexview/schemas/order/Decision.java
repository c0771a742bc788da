package io.indexview.schemas.order;

/**
 * What to do with an event.
 *
 * @param next the entry to store; null when nothing is to be stored. An event that is not applied
 *     may still leave one (an ad-hoc snapshot that found the record): revision and value are the
 *     old ones, so no row changes
 */
public record Decision(Verdict verdict, Entry next) {
  public boolean applied() {
    return verdict == Verdict.APPLIED;
  }

  /** What the order guard made of an event. */
  public enum Verdict {
    APPLIED,
    /** Told, and older than what is known. */
    STALE,
    /** Told, and known already. */
    DUPLICATE,
    /**
     * A snapshot read that was overtaken between the scan and its arrival; the next scan will tell.
     */
    SUPERSEDED
  }
}
