package io.indexview.views.derive;

import io.indexview.views.definition.RecordEvolution.Gap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** A record some of whose fields could not be read: asking for one of those fails. */
final class PartialRecord extends GenericData.Record {
  private final Map<Integer, String> unreadable = new HashMap<>();

  /**
   * @param part what could be read
   * @param gaps what could not
   * @param id of the schema that the record was written with
   */
  PartialRecord(Schema schema, GenericRecord part, List<Gap> gaps, int id) {
    super(schema);
    part.getSchema().getFields().forEach(field -> put(field.name(), part.get(field.pos())));
    for (Gap gap : gaps) {
      unreadable.put(schema.getField(gap.field()).pos(), reason(id, gap));
    }
  }

  static String reason(int id, Gap gap) {
    return "records of schema id %d %s; rebuild the view once the record set's schema reads them"
        .formatted(id, gap.reason());
  }

  @Override
  public Object get(int position) {
    String reason = unreadable.get(position);
    if (reason != null) {
      throw new UnreadableFieldException(reason);
    }
    return super.get(position);
  }

  @Override
  public Object get(String name) {
    Schema.Field field = getSchema().getField(name);
    return field == null ? super.get(name) : get(field.pos());
  }
}
