package io.indexview.schemas.serde;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/**
 * How deep the records of a schema nest. Whoever hands a record on walks through it on his stack,
 * and not all of them are Indexview's: converters, transformations. What one of them can still
 * read, the next might not. Safe for use by several threads.
 */
public final class Nesting {
  /** Most levels of records, arrays and maps in one another. */
  public static final int MAX_LEVELS = 500;

  private final boolean unbounded;

  public Nesting(Schema schema) {
    this.unbounded = holdsItself(schema, new HashSet<>(), new HashSet<>());
  }

  private static boolean holdsItself(Schema schema, Set<String> open, Set<String> known) {
    return switch (schema.getType()) {
      case RECORD -> {
        String name = schema.getFullName();
        if (!open.add(name)) {
          yield true;
        }
        boolean found =
            !known.contains(name)
                && schema.getFields().stream()
                    .anyMatch(field -> holdsItself(field.schema(), open, known));
        open.remove(name);
        known.add(name);
        yield found;
      }
      case ARRAY -> holdsItself(schema.getElementType(), open, known);
      case MAP -> holdsItself(schema.getValueType(), open, known);
      case UNION -> schema.getTypes().stream().anyMatch(type -> holdsItself(type, open, known));
      default -> false;
    };
  }

  /** Whether a record of the schema nests more than {@link #MAX_LEVELS} deep. */
  public boolean isTooDeep(IndexedRecord record) {
    return unbounded && isDeeper(record, MAX_LEVELS);
  }

  private static boolean isDeeper(Object datum, int levels) {
    if (datum instanceof IndexedRecord record) {
      for (int i = 0; levels > 0 && i < record.getSchema().getFields().size(); i++) {
        if (isDeeper(record.get(i), levels - 1)) {
          return true;
        }
      }
      return levels == 0;
    }
    if (datum instanceof Map<?, ?> map) {
      return levels == 0 || isAnyDeeper(map.values(), levels - 1);
    }
    return datum instanceof Collection<?> elements
        && (levels == 0 || isAnyDeeper(elements, levels - 1));
  }

  private static boolean isAnyDeeper(Collection<?> data, int levels) {
    for (Object datum : data) {
      if (isDeeper(datum, levels)) {
        return true;
      }
    }
    return false;
  }
}
