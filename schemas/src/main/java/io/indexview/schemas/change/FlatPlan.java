package io.indexview.schemas.change;

import io.indexview.schemas.serde.DatumSkipper;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;

/**
 * Tells deletions among the flat records of one writer schema. Debezium's transformations write one
 * as the record that it was, with a field that says so ({@code
 * delete.tombstone.handling.mode=rewrite}).
 */
final class FlatPlan {
  private final DatumSkipper[] before;
  private final GenericDatumReader<Object> deleted;

  private FlatPlan(DatumSkipper[] before, GenericDatumReader<Object> deleted) {
    this.before = before;
    this.deleted = deleted;
  }

  static FlatPlan of(Schema record) {
    Schema.Field field =
        record.getType() == Schema.Type.RECORD ? record.getField(EnvelopeSchemas.DELETED) : null;
    return field == null
        ? new FlatPlan(new DatumSkipper[0], null)
        : new FlatPlan(
            record.getFields().subList(0, field.pos()).stream()
                .map(other -> DatumSkipper.of(other.schema()))
                .toArray(DatumSkipper[]::new),
            new GenericDatumReader<>(field.schema()));
  }

  /** Whether records may be deletions. */
  boolean mayDelete() {
    return deleted != null;
  }

  /** Reads a record up to the field. */
  boolean isDeletion(BinaryDecoder in) throws IOException {
    for (DatumSkipper field : before) {
      field.skip(in);
    }
    return "true".equals(String.valueOf(deleted.read(null, in)));
  }
}
