package io.indexview.cli.query;

import io.indexview.cli.api.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Arguments that say which values fields have. */
final class FieldArguments {
  private static final char SEPARATOR = '=';

  private FieldArguments() {}

  /**
   * The values by field.
   *
   * @throws UsageException if an argument names no field, or two name the same
   */
  static Map<String, String> parse(List<String> arguments) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String argument : arguments) {
      int end = argument.indexOf(SEPARATOR);
      if (end < 1) {
        throw new UsageException(
            "\"%s\" gives no field a value; write FIELD=VALUE".formatted(argument));
      }
      String field = argument.substring(0, end);
      if (values.put(field, argument.substring(end + 1)) != null) {
        throw new UsageException("field \"%s\" is given twice; leave one out".formatted(field));
      }
    }
    return values;
  }
}
