package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import java.util.Comparator;
import java.util.Optional;

/** Names a generation. In the order of views, then numbers. */
record GenerationKey(String view, int number) implements Comparable<GenerationKey> {
  private static final Comparator<GenerationKey> ORDER =
      Comparator.comparing(GenerationKey::view).thenComparing(GenerationKey::number);

  /** Parses the key of a record on {@code view-generations}; empty if it is none. */
  static Optional<GenerationKey> parse(String key) {
    int bar = key.indexOf('|');
    try {
      return bar < 0
          ? Optional.empty()
          : Optional.of(
              new GenerationKey(key.substring(0, bar), Integer.parseInt(key.substring(bar + 1))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** {@link #parse} reads it back. */
  String text() {
    return PublishedGeneration.key(view, number);
  }

  @Override
  public int compareTo(GenerationKey other) {
    return ORDER.compare(this, other);
  }
}
