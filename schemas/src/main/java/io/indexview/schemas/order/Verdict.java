package io.indexview.schemas.order;

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
