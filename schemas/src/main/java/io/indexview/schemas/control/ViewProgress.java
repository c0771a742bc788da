package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * The records of {@code view-progress}: of many fields one is set, which is what a record tells.
 */
final class ViewProgress {
  private ViewProgress() {}

  /** What a record is to tell, by the name of its field; still empty. */
  static GenericRecord part(String field) {
    return new GenericData.Record(
        ControlSchemas.VIEW_PROGRESS.getField(field).schema().getTypes().get(1));
  }

  /** A record that tells something of a record set. */
  static GenericRecord of(String field, GenericRecord part, long reportedAtMs) {
    return of(field, part, "", 0, reportedAtMs);
  }

  /** A record that tells something of a generation of a view. */
  static GenericRecord of(
      String field, GenericRecord part, String view, int generation, long reportedAtMs) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_PROGRESS);
    record.put("view", view);
    record.put("generation", generation);
    record.put("reportedAt", reportedAtMs);
    record.put(field, part);
    return record;
  }
}
