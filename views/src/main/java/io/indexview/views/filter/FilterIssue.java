package io.indexview.views.filter;

import java.util.List;
import java.util.Objects;

/**
 * One thing wrong with a filter.
 *
 * @param line from 1
 * @param column in code points, from 1
 * @param message what is wrong
 * @param unknown the name that does not exist; null if that is not what is wrong
 * @param known the names that could have been meant, empty without {@code unknown}
 */
public record FilterIssue(
    int line, int column, String message, String unknown, List<String> known) {
  public FilterIssue {
    Objects.requireNonNull(message, "message");
    known = List.copyOf(known);
  }

  @Override
  public String toString() {
    return "line %d, column %d: %s".formatted(line, column, message);
  }
}
