package io.indexview.views.derive;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.filter.RecordFilter;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;

/** The part of a record schema that some views need. */
public final class Projection {
  private Projection() {}

  /**
   * The record schema with only those top-level fields that one of the views reads.
   *
   * @param generations of one record set, with this record schema
   */
  public static Schema of(Schema recordSchema, Collection<ViewGeneration> generations) {
    Set<String> needed = new HashSet<>();
    for (ViewGeneration generation : generations) {
      ViewFields fields = generation.fields();
      fields.key().forEach(field -> needed.add(top(field.path())));
      fields.values().forEach(field -> needed.add(top(field.path())));
      String where = generation.definition().where();
      if (where != null) {
        needed.addAll(RecordFilter.fields(where, recordSchema));
      }
    }
    return withFields(
        recordSchema,
        recordSchema.getName(),
        recordSchema.getNamespace(),
        recordSchema.getFields().stream().filter(field -> needed.contains(field.name())).toList());
  }

  private static String top(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  /** The schema under another name. */
  static Schema renamed(Schema recordSchema, String name, String namespace) {
    return withFields(recordSchema, name, namespace, recordSchema.getFields());
  }

  private static Schema withFields(
      Schema recordSchema, String name, String namespace, List<Schema.Field> fields) {
    return Schema.createRecord(
        name,
        recordSchema.getDoc(),
        namespace,
        recordSchema.isError(),
        fields.stream().map(field -> new Schema.Field(field, field.schema())).toList());
  }
}
