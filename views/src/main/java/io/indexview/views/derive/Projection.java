package io.indexview.views.derive;

import io.indexview.views.definition.ViewGeneration;
import java.util.Collection;
import java.util.HashSet;
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
    generations.forEach(generation -> needed.addAll(generation.fieldsRead()));
    return Schema.createRecord(
        recordSchema.getName(),
        recordSchema.getDoc(),
        recordSchema.getNamespace(),
        recordSchema.isError(),
        recordSchema.getFields().stream()
            .filter(field -> needed.contains(field.name()))
            .map(field -> new Schema.Field(field, field.schema()))
            .toList());
  }
}
