package io.indexview.streams.health;

import java.util.Locale;

/** What became of one change event; each event counts once. */
public enum Outcome {
  APPLIED,
  STALE,
  DUPLICATE,
  SUPERSEDED,
  /** Went to the dead-letter topic: undecodable, or a view could not be derived from it. */
  DEAD,
  /** Said nothing: the tombstone that follows a delete in an envelope topic. */
  EMPTY;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
