package io.indexview.views.definition;

import java.util.List;
import java.util.stream.Collectors;

/** A view definition was refused; carries everything that is wrong with it. */
public final class InvalidViewException extends RuntimeException {
  private final transient List<Problem> problems;

  /**
   * @param subject the view, or where its definition came from
   */
  public InvalidViewException(String subject, List<Problem> problems) {
    this(subject, problems, null);
  }

  public InvalidViewException(String subject, List<Problem> problems, Throwable cause) {
    super(
        problems.stream()
            .map(problem -> "\n  - " + problem)
            .collect(Collectors.joining("", subject + " is not valid:", "")),
        cause);
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }
}
