package io.indexview.connect.common.avro;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/**
 * A struct as it is read: a field that is null is null. Connect's own gives the default that the
 * field's schema has, as that of a column has which takes null, too.
 */
final class StructWithNulls extends Struct {
  private final Struct struct;

  private StructWithNulls(Struct struct) {
    super(struct.schema());
    this.struct = struct;
  }

  /** A value with such structs in place of all others. */
  static Object of(Object value) {
    if (value instanceof Struct other) {
      return new StructWithNulls(other);
    }
    if (value instanceof List<?> elements) {
      List<Object> copy = new ArrayList<>(elements.size());
      elements.forEach(element -> copy.add(of(element)));
      return copy;
    }
    if (value instanceof Map<?, ?> entries) {
      Map<Object, Object> copy = new LinkedHashMap<>();
      entries.forEach((key, entry) -> copy.put(key, of(entry)));
      return copy;
    }
    return value;
  }

  @Override
  public Object get(Field field) {
    return of(struct.getWithoutDefault(field.name()));
  }

  /**
   * Whether values of a schema may have fields that are null beside a default.
   *
   * @param known full names of structs that are looked through, as a struct may hold itself
   */
  static boolean matterFor(Schema schema, Set<String> known) {
    return switch (schema.type()) {
      case STRUCT ->
          (schema.name() == null || known.add(schema.name()))
              && schema.fields().stream()
                  .map(Field::schema)
                  .anyMatch(field -> isNullBesideDefault(field) || matterFor(field, known));
      case ARRAY, MAP -> matterFor(schema.valueSchema(), known);
      default -> false;
    };
  }

  private static boolean isNullBesideDefault(Schema schema) {
    return schema.isOptional() && schema.defaultValue() != null;
  }
}
