package io.indexview.schemas.docs;

import static java.util.stream.Collectors.joining;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.Type;

/** A definition as Markdown: a heading and a table per group, in the order of the definition. */
final class ConfigTable {
  private static final String HEAD =
      """
      | key | type | default | valid values | importance | what it does |
      |---|---|---|---|---|---|
      """;

  private static final Map<Long, String> TIME_UNITS =
      largestFirst(Map.of(86_400_000L, "d", 3_600_000L, "h", 60_000L, "min", 1_000L, "s"));

  private static final Map<Long, String> MEMORY_UNITS =
      largestFirst(Map.of(1L << 30, "GiB", 1L << 20, "MiB", 1L << 10, "KiB"));

  private static final Pattern MINIMUM = Pattern.compile("\\[(.+),\\.\\.\\.\\]");
  private static final Pattern RANGE = Pattern.compile("\\[(.+),\\.\\.\\.,(.+)\\]");

  private ConfigTable() {}

  private static Map<Long, String> largestFirst(Map<Long, String> units) {
    Map<Long, String> sorted = new TreeMap<>(Comparator.reverseOrder());
    sorted.putAll(units);
    return sorted;
  }

  static String render(ConfigDef definition) {
    return groups(definition).stream()
        .map(group -> group(definition, group))
        .collect(joining("\n"));
  }

  private static Set<String> groups(ConfigDef definition) {
    Set<String> groups = new LinkedHashSet<>();
    for (ConfigKey key : definition.configKeys().values()) {
      if (key.group == null || key.documentation == null || key.documentation.isBlank()) {
        throw new IllegalArgumentException(key.name + ": give it a group and a documentation");
      }
      groups.add(key.group);
    }
    return groups;
  }

  private static String group(ConfigDef definition, String group) {
    return "## "
        + group
        + "\n\n"
        + HEAD
        + definition.configKeys().values().stream()
            .filter(key -> key.group.equals(group))
            .sorted(Comparator.comparingInt(key -> key.orderInGroup))
            .map(ConfigTable::row)
            .collect(joining());
  }

  private static String row(ConfigKey key) {
    return List.of(
                code(key.name),
                key.type.name().toLowerCase(Locale.ROOT),
                byDefault(key),
                text(validValues(key)),
                key.importance.name().toLowerCase(Locale.ROOT),
                text(key.documentation))
            .stream()
            .collect(joining(" | ", "| ", " |"))
        + "\n";
  }

  private static String byDefault(ConfigKey key) {
    if (!key.hasDefault()) {
      return "**required**";
    }
    Object value = key.defaultValue;
    if (value == null) {
      return "none";
    }
    if (value instanceof Collection<?> list) {
      value = list.stream().map(Object::toString).collect(joining(","));
    }
    if (value.toString().isEmpty()) {
      return "empty";
    }
    return code(value.toString()) + unit(key, value);
  }

  private static String unit(ConfigKey key, Object value) {
    if (!(value instanceof Number number)) {
      return "";
    }
    if (key.name.endsWith(".ms")) {
      return inUnits(number.longValue(), TIME_UNITS);
    }
    return key.name.endsWith(".bytes") ? inUnits(number.longValue(), MEMORY_UNITS) : "";
  }

  /** The number in the largest unit that it is a whole multiple of. */
  private static String inUnits(long value, Map<Long, String> units) {
    return units.entrySet().stream()
        .filter(unit -> value > 0 && value % unit.getKey() == 0)
        .findFirst()
        .map(unit -> " (%d %s)".formatted(value / unit.getKey(), unit.getValue()))
        .orElse("");
  }

  private static String validValues(ConfigKey key) {
    if (key.validator == null) {
      return key.type == Type.BOOLEAN ? "true, false" : "any";
    }
    if (key.validator.getClass().isHidden()) {
      throw new IllegalArgumentException(
          key.name + ": its validator cannot say what is valid; use LambdaValidator.with");
    }
    String valid = key.validator.toString();
    if (key.validator instanceof ConfigDef.Range) {
      return RANGE
          .matcher(MINIMUM.matcher(valid).replaceFirst("$1 or more"))
          .replaceFirst("$1 to $2");
    }
    // A list validator without a list of values only refuses repetitions, and says nothing.
    return valid.isBlank() ? "any, each once" : valid.replaceAll("^\\[|\\]$", "");
  }

  private static String code(String value) {
    return "`" + value.replace("|", "\\|") + "`";
  }

  /** What Markdown would take for its own is escaped. */
  private static String text(String value) {
    return value
        .strip()
        .replaceAll("\\s+", " ")
        .replaceAll("[\\\\|*\\[\\]`]", "\\\\$0")
        .replace("<", "&lt;");
  }
}
