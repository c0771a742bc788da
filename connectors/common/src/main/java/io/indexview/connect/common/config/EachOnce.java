package io.indexview.connect.common.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** Of a list key: nothing in it is empty or comes twice. Kafka's own is not in every worker. */
public final class EachOnce implements Validator {
  private final boolean mayBeEmpty;

  /**
   * @param mayBeEmpty whether a list without anything in it will do
   */
  public EachOnce(boolean mayBeEmpty) {
    this.mayBeEmpty = mayBeEmpty;
  }

  @Override
  public void ensureValid(String name, Object value) {
    List<?> values = value == null ? List.of() : (List<?>) value;
    if (values.isEmpty() && !mayBeEmpty) {
      throw new ConfigException(name, value, "Name one at least");
    }
    Set<Object> seen = new HashSet<>();
    for (Object one : values) {
      if (one.toString().isBlank()) {
        throw new ConfigException(name, value, "Take the empty value out");
      }
      if (!seen.add(one)) {
        throw new ConfigException(name, value, "Name %s once".formatted(one));
      }
    }
  }

  @Override
  public String toString() {
    return "any, each once";
  }
}
