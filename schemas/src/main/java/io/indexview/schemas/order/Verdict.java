package io.indexview.schemas.order;

/** What the order guard made of an event. */
public enum Verdict {
  APPLIED,
  /** Told, and older than what is known. */
  STALE,
  /** Told, and known already. */
  DUPLICATE,
  /**
   * An observation that was overtaken between the look and its arrival; the next look will tell.
   */
  SUPERSEDED
}
