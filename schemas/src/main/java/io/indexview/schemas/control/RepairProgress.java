package io.indexview.schemas.control;

import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * A task's report that it wrote the rows anew that a {@link ViewRepair} names, as far as their
 * records are its own. It lies on {@code view-progress}, in one transaction with the rows.
 *
 * @param partition of the record set's topic
 * @param batch it is done with those before, too
 * @param reportedAtMs ms since the epoch
 */
public record RepairProgress(
    String view, int generation, int partition, String repair, int batch, long reportedAtMs) {
  public RepairProgress {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(repair, "repair");
  }

  /** Key on the topic. */
  public String key() {
    return "repaired|" + view + "|" + generation + "|" + partition;
  }

  /** The report in a record of the topic; empty if it is none. */
  public static Optional<RepairProgress> of(GenericRecord record) {
    GenericRecord repaired = (GenericRecord) record.get("repaired");
    return repaired == null
        ? Optional.empty()
        : Optional.of(
            new RepairProgress(
                record.get("view").toString(),
                (Integer) record.get("generation"),
                (Integer) repaired.get("partition"),
                repaired.get("repair").toString(),
                (Integer) repaired.get("batch"),
                (Long) record.get("reportedAt")));
  }

  public GenericRecord toAvro() {
    GenericRecord repaired = ViewProgress.part("repaired");
    repaired.put("partition", partition);
    repaired.put("repair", repair);
    repaired.put("batch", batch);
    return ViewProgress.of("repaired", repaired, view, generation, reportedAtMs);
  }
}
