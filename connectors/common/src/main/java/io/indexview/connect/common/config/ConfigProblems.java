package io.indexview.connect.common.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;

/** Collects what is wrong with a configuration, so that the user sees all of it at once. */
public final class ConfigProblems {
  private final List<Problem> problems = new ArrayList<>();

  /** Blames a key: say what is wrong, and what helps. */
  public void add(String key, String problem) {
    problems.add(new Problem(key, problem));
  }

  /** Adds the problems that somebody else collected. */
  public void addAll(ConfigProblems others) {
    problems.addAll(others.problems);
  }

  public boolean isEmpty() {
    return problems.isEmpty();
  }

  /** Puts every problem on the key it blames. */
  public void addTo(Config config) {
    for (Problem problem : problems) {
      config.configValues().stream()
          .filter(value -> value.name().equals(problem.key()))
          .findFirst()
          .orElseGet(() -> added(config, problem.key()))
          .addErrorMessage(problem.message());
    }
  }

  /**
   * Adds what cannot be seen as long as a key is wrong in itself.
   *
   * @param validated with the problems of single keys; without any it gets the further ones
   * @return the same
   */
  public static Config addTo(Config validated, Supplier<ConfigProblems> further) {
    if (validated.configValues().stream().allMatch(value -> value.errorMessages().isEmpty())) {
      further.get().addTo(validated);
    }
    return validated;
  }

  private static ConfigValue added(Config config, String key) {
    ConfigValue value = new ConfigValue(key);
    config.configValues().add(value);
    return value;
  }

  /**
   * @throws ConfigException naming every problem, if there is one
   */
  public void throwIfAny() {
    if (!problems.isEmpty()) {
      throw new ConfigException(
          String.join("; ", problems.stream().map(p -> p.key() + ": " + p.message()).toList()));
    }
  }

  @Override
  public String toString() {
    return problems.toString();
  }

  private record Problem(String key, String message) {}
}
