package io.indexview.streams.config;

import java.util.Locale;

/** What says that every primary record of a record set has reached its topic. */
public enum Completeness {
  /** Its source, on {@code source-states}: it looked at everything, and Kafka has it all. */
  SOURCE_STATES,
  /** Nobody: what the topic holds when it is asked counts as everything. */
  TOPIC;

  /** As in the configuration. */
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Completeness of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
