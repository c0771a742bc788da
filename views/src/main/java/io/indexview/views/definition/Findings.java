package io.indexview.views.definition;

import java.util.ArrayList;
import java.util.List;

/** Problems as they are found. */
final class Findings {
  private final List<Problem> problems = new ArrayList<>();

  void add(String field, Object value, String message) {
    problems.add(new Problem(field, value.toString(), message));
  }

  List<Problem> problems() {
    return List.copyOf(problems);
  }
}
