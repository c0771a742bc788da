package io.indexview.views.definition;

import io.indexview.views.encoding.FieldType;
import java.util.List;
import org.apache.avro.Schema;

/**
 * The fields of a view's rows, beside the primary key and the revision.
 *
 * @param key fields of the row key, in order
 * @param values fields of the row value; an included field that is a key field already is not
 *     repeated
 */
public record ViewFields(List<KeyField> key, List<ValueField> values) {
  /** Last field of every row key: the primary key. */
  public static final String PRIMARY_KEY = "_primaryKey";

  /** Last field of every row value: the revision. */
  public static final String REVISION = "_revision";

  public ViewFields {
    key = List.copyOf(key);
    values = List.copyOf(values);
  }

  /**
   * @throws InvalidViewException if the definition is not valid for the record schema
   */
  public static ViewFields of(ViewDefinition definition, RecordSet recordSet) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * @param name in the row
   * @param path in the record
   * @param nullable whether rows can hold null here
   */
  public record KeyField(String name, String path, FieldType type, boolean nullable) {}

  /**
   * @param schema with null if the value or a record on its path can be null
   */
  public record ValueField(String name, String path, Schema schema) {}
}
