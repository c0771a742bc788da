package io.indexview.schemas.config;

import java.util.List;

/** Everything that is wrong with a configuration or the view files that it names, at once. */
public final class InvalidConfigException extends RuntimeException {
  private final List<String> problems;

  /**
   * @param what the thing that is wrong, for the first line
   * @param problems at least one; each names the key or file, the value and the remedy
   */
  public InvalidConfigException(String what, List<String> problems) {
    super(message(what, problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }

  private static String message(String what, List<String> problems) {
    if (problems.isEmpty()) {
      throw new IllegalArgumentException("no problem given");
    }
    String head = problems.size() == 1 ? "1 problem" : problems.size() + " problems";
    return what + ": " + head + "\n  " + String.join("\n  ", problems);
  }
}
