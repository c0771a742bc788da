package io.indexview.connect.common.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef.Recommender;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** The constants of an enum in lower case, as validator and recommender of a key. */
public final class OneOf<E extends Enum<E>> implements Validator, Recommender {
  private final Class<E> type;
  private final List<String> names;

  private OneOf(Class<E> type) {
    this.type = type;
    this.names =
        Arrays.stream(type.getEnumConstants()).map(e -> e.name().toLowerCase(Locale.ROOT)).toList();
  }

  public static <E extends Enum<E>> OneOf<E> of(Class<E> type) {
    return new OneOf<>(type);
  }

  /** The constant of a value that was validated. */
  public E parse(String value) {
    return Enum.valueOf(type, value.toUpperCase(Locale.ROOT));
  }

  @Override
  public void ensureValid(String name, Object value) {
    if (value == null || !names.contains(value.toString())) {
      throw new ConfigException(name, value, "Use one of " + String.join(", ", names));
    }
  }

  @Override
  public List<Object> validValues(String name, Map<String, Object> parsedConfig) {
    return List.copyOf(names);
  }

  @Override
  public boolean visible(String name, Map<String, Object> parsedConfig) {
    return true;
  }

  @Override
  public String toString() {
    return String.join(", ", names);
  }
}
