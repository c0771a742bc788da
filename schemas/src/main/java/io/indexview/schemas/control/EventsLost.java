package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * That events of a record set were lost while the app did not run, as an instance that starts tells
 * on {@code view-progress} before it derives.
 *
 * @param foundAtMs ms since the epoch
 */
public record EventsLost(String recordSet, long foundAtMs, String reason) {
  private static final Schema LOST =
      ControlSchemas.VIEW_PROGRESS.getField("lost").schema().getTypes().get(1);

  public EventsLost {
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(reason, "reason");
  }

  /** Key on the topic. */
  public String key() {
    return "lost|" + recordSet;
  }

  /** Whether the record tells of such a loss. */
  public static boolean isIn(GenericRecord record) {
    return record.get("lost") != null;
  }

  /** The loss in a record of the topic, see {@link #isIn}. */
  public static EventsLost of(GenericRecord record) {
    GenericRecord lost = (GenericRecord) record.get("lost");
    return new EventsLost(
        lost.get("recordSet").toString(),
        (Long) record.get("reportedAt"),
        lost.get("reason").toString());
  }

  public GenericRecord toAvro() {
    GenericRecord lost = new GenericData.Record(LOST);
    lost.put("recordSet", recordSet);
    lost.put("reason", reason);
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_PROGRESS);
    record.put("view", "");
    record.put("generation", 0);
    record.put("reportedAt", foundAtMs);
    record.put("lost", lost);
    return record;
  }
}
