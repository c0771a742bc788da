package io.indexview.schemas.control;

import java.util.Locale;
import java.util.Objects;
import org.apache.avro.generic.GenericRecord;

/**
 * How far one task has come with one generation, as it reports it on {@code view-progress}, in one
 * transaction with what it says.
 *
 * @param partition of the record set's topic
 * @param done primary records built from
 * @param estimated primary records there are, about
 * @param rows that stand
 * @param keyBytes of the keys of these rows as they are published
 * @param failedRecords that have no rows because they cannot be derived, now
 * @param reason of one of them, or of the phase, or what is waited for; empty if there is none
 * @param reportedAtMs ms since the epoch
 */
public record TaskProgress(
    String recordSet,
    int partition,
    String view,
    int generation,
    Phase phase,
    long done,
    long estimated,
    long rows,
    long keyBytes,
    long failedRecords,
    String reason,
    long reportedAtMs) {
  /** What the task does with the generation. */
  public enum Phase {
    BUILDING,
    /** Every record that the state held has its rows; changes are followed. */
    BUILT,
    /** The task no longer writes the generation. */
    STOPPED,
    /**
     * Cannot write it, for the reason given: its rows of this partition are missing or not kept up
     * to date.
     */
    FAILED
  }

  public TaskProgress {
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(reason, "reason");
  }

  /** Key on the topic. */
  public String key() {
    return "task|" + recordSet + "|" + partition + "|" + view + "|" + generation;
  }

  /** Whether that is the key of a report of one partition of a record set. */
  public static boolean isKeyOf(String key, String recordSet, int partition) {
    return key.startsWith("task|" + recordSet + "|" + partition + "|");
  }

  /** Whether the record is such a report. */
  public static boolean isIn(GenericRecord record) {
    return record.get("task") != null;
  }

  /** The report in a record of the topic, see {@link #isIn}. */
  public static TaskProgress of(GenericRecord record) {
    GenericRecord task = (GenericRecord) record.get("task");
    return new TaskProgress(
        task.get("recordSet").toString(),
        (Integer) task.get("partition"),
        record.get("view").toString(),
        (Integer) record.get("generation"),
        EnumFields.constant(Phase.class, "phase", task.get("phase")),
        (Long) task.get("done"),
        (Long) task.get("estimated"),
        (Long) task.get("rows"),
        (Long) task.get("keyBytes"),
        (Long) task.get("failedRecords"),
        task.get("reason") == null ? "" : task.get("reason").toString(),
        (Long) record.get("reportedAt"));
  }

  public GenericRecord toAvro() {
    GenericRecord task = ViewProgress.part("task");
    task.put("recordSet", recordSet);
    task.put("partition", partition);
    task.put("phase", phase.name().toLowerCase(Locale.ROOT));
    task.put("done", done);
    task.put("estimated", estimated);
    task.put("rows", rows);
    task.put("keyBytes", keyBytes);
    task.put("failedRecords", failedRecords);
    task.put("reason", reason.isEmpty() ? null : reason);
    return ViewProgress.of("task", task, view, generation, reportedAtMs);
  }
}
