package io.indexview.schemas.control;

import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * What a verification of the rows of a generation has found, as its worker reports it on {@code
 * view-progress}.
 *
 * @param id of the verification
 * @param wrong rows that are not as they should be; 0: all are
 * @param reportedAtMs ms since the epoch; a later one counts
 */
public record RowsVerified(String view, int generation, String id, long wrong, long reportedAtMs) {
  public RowsVerified {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(id, "id");
  }

  /** Key on the topic. */
  public String key() {
    return "verified|" + view + "|" + generation;
  }

  /** The report in a record of the topic; empty if it is none. */
  public static Optional<RowsVerified> of(GenericRecord record) {
    GenericRecord verified = (GenericRecord) record.get("verified");
    return verified == null
        ? Optional.empty()
        : Optional.of(
            new RowsVerified(
                record.get("view").toString(),
                (Integer) record.get("generation"),
                verified.get("id").toString(),
                (Long) verified.get("wrong"),
                (Long) record.get("reportedAt")));
  }

  public GenericRecord toAvro() {
    GenericRecord verified = ViewProgress.part("verified");
    verified.put("id", id);
    verified.put("wrong", wrong);
    return ViewProgress.of("verified", verified, view, generation, reportedAtMs);
  }
}
