package io.indexview.views.definition;

import io.indexview.views.encoding.FieldType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * The fields of a view's rows, beside the primary key and the revision.
 *
 * @param key fields of the row key, in order
 * @param values fields of the row value; an included field that is a key field already is not
 *     repeated
 * @param array path of the array whose elements give one row each; null if there is none
 */
public record ViewFields(List<KeyField> key, List<ValueField> values, String array) {
  /** Last field of every row key: the primary key. */
  public static final String PRIMARY_KEY = "_primaryKey";

  /** Last field of every row value: the revision. */
  public static final String REVISION = "_revision";

  public ViewFields {
    key = List.copyOf(key);
    values = List.copyOf(values);
  }

  /**
   * The fields of a definition.
   *
   * @throws InvalidViewException if the definition, its filter aside, is not valid for the record
   *     set
   */
  public static ViewFields of(ViewDefinition definition, RecordSet recordSet) {
    ViewValidator.validateRows(definition, recordSet);
    Schema schema = recordSet.schema();
    List<String> included = includedPaths(definition, schema);
    Map<String, String> names = names(definition.key(), included);
    List<KeyField> key = new ArrayList<>();
    List<ValueField> values = new ArrayList<>();
    String array = null;
    try {
      for (String path : definition.key()) {
        FieldPath found = FieldPath.ofKey(schema, path);
        // A record without elements has a row with nulls in their place.
        boolean absent = found.nullable() || found.array() != null;
        boolean nullable = absent && definition.nulls() == ViewDefinition.Nulls.INDEX;
        FieldType type = FieldType.ofKey(found.leaf()).orElseThrow();
        key.add(new KeyField(names.get(path), path, type, nullable));
        array = array == null ? found.array() : array;
      }
      for (String path : included) {
        FieldPath found = FieldPath.ofIncluded(schema, path);
        values.add(new ValueField(names.get(path), path, withNull(found)));
      }
    } catch (FieldPath.UnresolvableException e) {
      throw new IllegalStateException("validated, yet a path does not resolve", e);
    }
    return new ViewFields(key, values, array);
  }

  private static Schema withNull(FieldPath found) {
    Schema leaf = found.leaf();
    if (!found.nullable() || leaf.isNullable()) {
      return leaf;
    }
    List<Schema> branches = new ArrayList<>();
    branches.add(Schema.create(Schema.Type.NULL));
    branches.addAll(leaf.isUnion() ? leaf.getTypes() : List.of(leaf));
    return Schema.createUnion(branches);
  }

  /** The paths of the row value: those included that the key does not hold already. */
  static List<String> includedPaths(ViewDefinition definition, Schema schema) {
    List<String> wanted = definition.include();
    if (wanted == null) {
      wanted =
          definition.kind() == ViewDefinition.Kind.DOCUMENT
              ? schema.getFields().stream().map(Schema.Field::name).toList()
              : List.of();
    }
    return wanted.stream().filter(path -> !definition.key().contains(path)).toList();
  }

  /**
   * Names of rows' fields by path: the last element of the path, or the whole path where several
   * end alike; with {@code _} for what no Avro name can hold, as keys of maps do.
   */
  static Map<String, String> names(List<String> key, List<String> included) {
    Map<String, Integer> endings = new HashMap<>();
    List<String> paths = new ArrayList<>(key);
    paths.addAll(included);
    paths.forEach(path -> endings.merge(ending(path), 1, Integer::sum));
    Map<String, String> names = new HashMap<>();
    for (String path : paths) {
      String ending = ending(path);
      names.put(path, endings.get(ending) == 1 ? ending : legal(path));
    }
    return names;
  }

  private static String ending(String path) {
    return legal(path.substring(path.lastIndexOf('.') + 1));
  }

  private static String legal(String text) {
    StringBuilder name = new StringBuilder(text);
    for (int i = 0; i < name.length(); i++) {
      if (!Character.isLetterOrDigit(name.charAt(i))) {
        name.setCharAt(i, '_');
      }
    }
    boolean begins = !name.isEmpty() && !Character.isDigit(name.charAt(0));
    return begins ? name.toString() : "_" + name;
  }

  /**
   * A field of the row key.
   *
   * @param name in the row
   * @param path in the record
   * @param nullable whether rows can hold null here
   */
  public record KeyField(String name, String path, FieldType type, boolean nullable) {}

  /**
   * A field of the row value.
   *
   * @param name in the row
   * @param path in the record
   * @param schema with null if the value or a record on its path can be null
   */
  public record ValueField(String name, String path, Schema schema) {}
}
