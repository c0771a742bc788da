package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * That a task deleted from its state what a resnapshot did not name, as it reports it on {@code
 * view-progress}, in one transaction with the deletions.
 *
 * @param partition of the record set's topic
 * @param startedAtMs when the sources began that resnapshot, ms since the epoch; the task is done
 *     with all that began before, too
 * @param reportedAtMs ms since the epoch
 */
public record PurgeProgress(String recordSet, int partition, long startedAtMs, long reportedAtMs) {
  private static final Schema PURGE =
      ControlSchemas.VIEW_PROGRESS.getField("purge").schema().getTypes().get(1);

  public PurgeProgress {
    Objects.requireNonNull(recordSet, "recordSet");
  }

  /** Key on the topic. */
  public String key() {
    return key(recordSet, partition);
  }

  public static String key(String recordSet, int partition) {
    return "purge|" + recordSet + "|" + partition;
  }

  /** The report in a record of the topic; empty if it is none. */
  public static Optional<PurgeProgress> of(GenericRecord record) {
    GenericRecord purge = (GenericRecord) record.get("purge");
    return purge == null
        ? Optional.empty()
        : Optional.of(
            new PurgeProgress(
                purge.get("recordSet").toString(),
                (Integer) purge.get("partition"),
                (Long) purge.get("startedAt"),
                (Long) record.get("reportedAt")));
  }

  public GenericRecord toAvro() {
    GenericRecord purge = new GenericData.Record(PURGE);
    purge.put("recordSet", recordSet);
    purge.put("partition", partition);
    purge.put("startedAt", startedAtMs);
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_PROGRESS);
    record.put("view", "");
    record.put("generation", 0);
    record.put("reportedAt", reportedAtMs);
    record.put("purge", purge);
    return record;
  }
}
