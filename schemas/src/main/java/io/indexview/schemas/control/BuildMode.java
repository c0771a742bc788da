package io.indexview.schemas.control;

import java.util.Locale;

/** What the rows of a generation are built from. */
public enum BuildMode {
  /** The local state of the tasks. */
  STATE,
  /** From the state, after it was restored from its changelog. */
  CHANGELOG,
  /** From the state, after the sources published every record again. */
  SNAPSHOT,
  /** From the state, after the primary-change topic was materialized again from its start. */
  REPLAY;

  /** The name as it is written on control topics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads {@link #text} back.
   *
   * @throws IllegalArgumentException if there is no such mode
   */
  public static BuildMode of(String text) {
    for (BuildMode mode : values()) {
      if (mode.text().equals(text)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "build mode \"%s\": use state, changelog, snapshot or replay".formatted(text));
  }
}
