package io.indexview.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The primary key of a JSON record, for instance {@code /World/city/{cityId}}: a key path whose
 * components are fixed text or one field of the record in braces; {@code -} parts the major from
 * the minor components.
 */
final class KeyTemplate {
  private static final Pattern FIELD = Pattern.compile("\\{([^{}]+)}");
  private static final String EXAMPLE = "write it like /World/city/{cityId}";

  private final String text;
  private final List<Function<JsonNode, String>> major = new ArrayList<>();
  private final List<Function<JsonNode, String>> minor = new ArrayList<>();
  private final List<String> prefix = new ArrayList<>();

  private KeyTemplate(String text) {
    this.text = text;
  }

  /**
   * Parses a template.
   *
   * @throws IllegalArgumentException if it is no key path, or starts with a field: a record set
   *     needs a prefix of its own
   */
  static KeyTemplate parse(String text) {
    if (!text.startsWith("/") || text.endsWith("/") || text.contains("//")) {
      throw new IllegalArgumentException("key \"%s\" is no key path; %s".formatted(text, EXAMPLE));
    }
    KeyTemplate template = new KeyTemplate(text);
    List<Function<JsonNode, String>> part = template.major;
    boolean fixedSoFar = true;
    for (String component : text.substring(1).split("/", -1)) {
      if (component.equals("-") && part == template.major) {
        part = template.minor;
        fixedSoFar = false;
        continue;
      }
      Matcher field = FIELD.matcher(component);
      fixedSoFar &= !field.matches();
      if (fixedSoFar) {
        template.prefix.add(component);
      }
      part.add(field.matches() ? template.field(field.group(1)) : record -> component);
    }
    template.requireUsable();
    return template;
  }

  private void requireUsable() {
    if (prefix.isEmpty()) {
      throw new IllegalArgumentException(
          "key \"%s\" starts with a field; a record set needs a prefix of its own: %s"
              .formatted(text, EXAMPLE));
    }
    if (!text.contains("{")) {
      throw new IllegalArgumentException(
          "key \"%s\" holds no field, so all records would share one key; %s"
              .formatted(text, EXAMPLE));
    }
  }

  private Function<JsonNode, String> field(String name) {
    return record -> {
      JsonNode value = record.path(name);
      if (!value.isValueNode() || value.isNull() || value.asText().isEmpty()) {
        throw new IllegalArgumentException(
            "field \"%s\" is %s, but the key \"%s\" needs a value there"
                .formatted(name, value.isMissingNode() ? "missing" : value, text));
      }
      return value.asText();
    };
  }

  /** The leading components that hold no field: where the records of the set lie. */
  List<String> prefix() {
    return List.copyOf(prefix);
  }

  /**
   * The major components of a record's key.
   *
   * @throws IllegalArgumentException if a field of the template is missing, null or empty
   */
  List<String> major(JsonNode record) {
    return major.stream().map(component -> component.apply(record)).toList();
  }

  /** The minor components of a record's key; empty if the template has none. */
  List<String> minor(JsonNode record) {
    return minor.stream().map(component -> component.apply(record)).toList();
  }

  @Override
  public String toString() {
    return text;
  }
}
