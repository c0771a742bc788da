package io.indexview.client.read;

import java.util.List;

/** A query that does not fit its view; says everything that is wrong with it. */
public final class InvalidQueryException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  /**
   * @param problems each names its field and what helps
   */
  public InvalidQueryException(String view, List<String> problems) {
    super("query of view \"%s\": %s".formatted(view, String.join("; ", problems)));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
