package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A comparison of the rows of a view's target with those that the streams app derived, as {@code
 * view-verifications} holds it.
 *
 * @param run empty until a worker has it
 */
public record ViewVerification(
    String view,
    String id,
    Status status,
    VerificationOptions options,
    long requestedAtMs,
    Run run) {
  private static final Schema COUNTS = ControlSchemas.VIEW_VERIFICATION.getField("counts").schema();
  private static final Schema CASE =
      ControlSchemas.VIEW_VERIFICATION.getField("cases").schema().getElementType();

  private static final Schema SOURCE =
      ControlSchemas.VIEW_VERIFICATION.getField("sources").schema().getElementType();

  private static final Schema NOT_LOOKED_FOR =
      ControlSchemas.VIEW_VERIFICATION.getField("notLookedFor").schema().getElementType();

  public ViewVerification {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(run, "run");
  }

  /** How far it is. */
  public enum Status {
    REQUESTED,
    RUNNING,
    /** Every row was compared, but for those that it counts as unjudged. */
    DONE,
    /** The run failed and says nothing of the rows. */
    FAILED,
    /** The run was cancelled and says nothing of the rows. */
    CANCELLED;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    public boolean isOver() {
      return this != REQUESTED && this != RUNNING;
    }
  }

  /**
   * What a worker has made of it.
   *
   * @param worker the process; empty: none yet
   * @param startedAtMs ms since the epoch, as all times; 0: not started
   * @param updatedAtMs when the worker last wrote
   * @param endedAtMs 0: not ended
   * @param generation 0: not known yet
   * @param visibleBeforeMs what it rests on: every change that was made in the sources before was
   *     in what was derived when it began, as their scans prove; 0: that is not known
   * @param step what it is at, or why it failed
   * @param cases the first ones
   * @param sources what the sources did when they were asked to scan; empty: they were not
   * @param notLookedFor what may belong to no view and was not looked for, once it is done
   */
  public record Run(
      String worker,
      long startedAtMs,
      long updatedAtMs,
      long endedAtMs,
      int generation,
      long visibleBeforeMs,
      String step,
      Counts counts,
      List<Case> cases,
      List<SourceScan> sources,
      List<NotLookedFor> notLookedFor) {
    /** Stands for a run that nobody has begun. */
    public static final Run NONE =
        new Run("", 0, 0, 0, 0, 0, "", Counts.NONE, List.of(), List.of(), List.of());

    public Run {
      Objects.requireNonNull(worker, "worker");
      Objects.requireNonNull(step, "step");
      Objects.requireNonNull(counts, "counts");
      cases = List.copyOf(cases);
      sources = List.copyOf(sources);
      notLookedFor = List.copyOf(notLookedFor);
    }
  }

  /**
   * A kind of orphaned entries that was not looked for, so that their number is not known.
   *
   * @param kind one of {@link Kind#ORPHANED}
   * @param reason why not, for people
   */
  public record NotLookedFor(Kind kind, String reason) {
    public NotLookedFor {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(reason, "reason");
    }

    /** All that belongs to no view. */
    public static List<NotLookedFor> all(String reason) {
      return Kind.ORPHANED.stream().map(kind -> new NotLookedFor(kind, reason)).toList();
    }
  }

  /**
   * A complete scan of a source partition that was waited for, or why there is none.
   *
   * @param source empty: nobody speaks for the records
   * @param number of the scan
   * @param startedAtMs ms since the epoch, by the clock of its host
   * @param endedAtMs ms since the epoch
   * @param records that it saw
   * @param refused why it makes none, for people; empty: it did
   */
  public record SourceScan(
      String source,
      String sourcePartition,
      long number,
      long startedAtMs,
      long endedAtMs,
      long records,
      String refused) {
    public SourceScan {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(sourcePartition, "sourcePartition");
      Objects.requireNonNull(refused, "refused");
    }

    /** A source scan that was refused. */
    public static SourceScan refused(String source, String sourcePartition, String reason) {
      return new SourceScan(source, sourcePartition, 0, 0, 0, 0, reason);
    }
  }

  /**
   * Rows.
   *
   * @param scanned that the target holds, as far as they are read
   * @param unexpected what lies among the rows and is none of the generation, by its class
   * @param tombstones of deleted rows
   * @param unjudged that changed each time they were read
   * @param repaired of the missing, extra and different ones, those that are right since
   * @param orphaned what belongs to no view, in the places of all of them, as far as it was looked
   *     for; see {@link Kind#ORPHANED} and {@link ViewVerification#orphaned}
   */
  public record Counts(
      long scanned,
      long right,
      long missing,
      long extra,
      long different,
      Unexpected unexpected,
      Tombstones tombstones,
      long unjudged,
      long repaired,
      long orphaned) {
    public static final Counts NONE =
        new Counts(0, 0, 0, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 0);

    public Counts {
      Objects.requireNonNull(unexpected, "unexpected");
      Objects.requireNonNull(tombstones, "tombstones");
    }

    /** Rows of the view that were found wrong. */
    public long wrong() {
      return missing + extra + different;
    }

    /** Rows that are still wrong. */
    public long left() {
      return wrong() - repaired;
    }
  }

  /**
   * What lies among the rows and is none of the generation.
   *
   * @param undecodable see {@link Kind#UNDECODABLE}, likewise the others
   * @param removed of all these, what is removed since
   */
  public record Unexpected(long undecodable, long otherGeneration, long unversioned, long removed) {
    public static final Unexpected NONE = new Unexpected(0, 0, 0, 0);

    /** Everything that was found, removed or not. */
    public long total() {
      return undecodable + otherGeneration + unversioned;
    }
  }

  /**
   * What deleted rows have left for the sink's fence.
   *
   * @param total all of them
   * @param expired of these, those that should have been removed; see {@link
   *     Kind#EXPIRED_TOMBSTONE}
   * @param removed of the expired ones, those that are removed since
   */
  public record Tombstones(long total, long expired, long removed) {
    public static final Tombstones NONE = new Tombstones(0, 0, 0);

    /** Expired ones that are there still. */
    public long left() {
      return expired - removed;
    }
  }

  /**
   * A row that is wrong, or something that is no row.
   *
   * @param key in the target, as text
   * @param primaryKey empty: not known
   * @param cause what it looks like, for people
   * @param repaired whether the row is right since, or what is unexpected or expired is removed
   */
  public record Case(
      Kind kind,
      String key,
      String primaryKey,
      OptionalLong expectedRevision,
      OptionalLong actualRevision,
      String cause,
      boolean repaired) {
    public Case {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(primaryKey, "primaryKey");
      Objects.requireNonNull(expectedRevision, "expectedRevision");
      Objects.requireNonNull(actualRevision, "actualRevision");
      Objects.requireNonNull(cause, "cause");
    }

    /** Returns a copy of the case, marked as repaired. */
    public Case asRepaired() {
      return new Case(kind, key, primaryKey, expectedRevision, actualRevision, cause, true);
    }
  }

  /** What is wrong with a row. */
  public enum Kind {
    /** The row is missing. */
    MISSING,
    /** The row should not exist. */
    EXTRA,
    /** The row has other values or another revision. */
    DIFFERENT,
    /** The entry cannot be a row of the generation: its key or its value cannot be decoded. */
    UNDECODABLE,
    /** The row belongs to another generation, which has the same table. */
    OTHER_GENERATION,
    /** The row has no revision: no sink wrote it. */
    UNVERSIONED,
    /** The tombstone of a deleted row should have been removed long ago. */
    EXPIRED_TOMBSTONE,
    /**
     * Rows that belong to no view, under a name where only a view can have rows; one case for all
     * of them.
     */
    ORPHANED_ROWS,
    /** Metadata of a view that there is not. */
    ORPHANED_METADATA;

    /** What belongs to no view. */
    public static final List<Kind> ORPHANED = List.of(ORPHANED_ROWS, ORPHANED_METADATA);

    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Kind ofText(String text) {
      return EnumFields.constant(Kind.class, "kind", text.replace('-', '_'));
    }
  }

  /** {@link Counts#orphaned}; empty: none of it was looked for, or not yet. */
  public OptionalLong orphaned() {
    boolean isLookedFor = status == Status.DONE && run.notLookedFor.size() < Kind.ORPHANED.size();
    return isLookedFor ? OptionalLong.of(run.counts.orphaned) : OptionalLong.empty();
  }

  /** Key on the topic. */
  public String key() {
    return key(view, id);
  }

  public static String key(String view, String id) {
    return view + "|" + id;
  }

  public ViewVerification with(Status next, Run worked) {
    return new ViewVerification(view, id, next, options, requestedAtMs, worked);
  }

  public static ViewVerification of(GenericRecord record) {
    GenericRecord counts = (GenericRecord) record.get("counts");
    List<Case> cases = new ArrayList<>();
    for (Object one : (List<?>) record.get("cases")) {
      cases.add(caseOf((GenericRecord) one));
    }
    return new ViewVerification(
        record.get("view").toString(),
        record.get("id").toString(),
        EnumFields.constant(Status.class, "status", record.get("status")),
        VerificationOptions.of(record),
        (Long) record.get("requestedAt"),
        new Run(
            record.get("worker").toString(),
            (Long) record.get("startedAt"),
            (Long) record.get("updatedAt"),
            (Long) record.get("endedAt"),
            (Integer) record.get("generation"),
            (Long) record.get("visibleBefore"),
            record.get("step").toString(),
            new Counts(
                (Long) counts.get("scanned"),
                (Long) counts.get("right"),
                (Long) counts.get("missing"),
                (Long) counts.get("extra"),
                (Long) counts.get("different"),
                new Unexpected(
                    (Long) counts.get("undecodable"),
                    (Long) counts.get("otherGeneration"),
                    (Long) counts.get("unversioned"),
                    (Long) counts.get("removedUnexpected")),
                new Tombstones(
                    (Long) counts.get("tombstones"),
                    (Long) counts.get("expiredTombstones"),
                    (Long) counts.get("removedTombstones")),
                (Long) counts.get("unjudged"),
                (Long) counts.get("repaired"),
                (Long) counts.get("orphaned")),
            cases,
            ((List<?>) record.get("sources"))
                .stream().map(one -> sourceOf((GenericRecord) one)).toList(),
            ((List<?>) record.get("notLookedFor"))
                .stream().map(one -> notLookedForOf((GenericRecord) one)).toList()));
  }

  private static NotLookedFor notLookedForOf(GenericRecord record) {
    return new NotLookedFor(
        Kind.ofText(record.get("kind").toString()), record.get("reason").toString());
  }

  private static SourceScan sourceOf(GenericRecord record) {
    return new SourceScan(
        record.get("source").toString(),
        record.get("sourcePartition").toString(),
        (Long) record.get("number"),
        (Long) record.get("startedAt"),
        (Long) record.get("endedAt"),
        (Long) record.get("records"),
        record.get("refused").toString());
  }

  private static Case caseOf(GenericRecord record) {
    return new Case(
        Kind.ofText(record.get("kind").toString()),
        record.get("key").toString(),
        record.get("primaryKey").toString(),
        optional(record.get("expectedRevision")),
        optional(record.get("actualRevision")),
        record.get("cause").toString(),
        (Boolean) record.get("repaired"));
  }

  private static OptionalLong optional(Object value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of((Long) value);
  }

  public GenericRecord toAvro() {
    GenericRecord counts = new GenericData.Record(COUNTS);
    counts.put("scanned", run.counts.scanned);
    counts.put("right", run.counts.right);
    counts.put("missing", run.counts.missing);
    counts.put("extra", run.counts.extra);
    counts.put("different", run.counts.different);
    counts.put("undecodable", run.counts.unexpected.undecodable);
    counts.put("otherGeneration", run.counts.unexpected.otherGeneration);
    counts.put("unversioned", run.counts.unexpected.unversioned);
    counts.put("removedUnexpected", run.counts.unexpected.removed);
    counts.put("tombstones", run.counts.tombstones.total);
    counts.put("expiredTombstones", run.counts.tombstones.expired);
    counts.put("removedTombstones", run.counts.tombstones.removed);
    counts.put("unjudged", run.counts.unjudged);
    counts.put("repaired", run.counts.repaired);
    counts.put("orphaned", run.counts.orphaned);
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_VERIFICATION);
    record.put("view", view);
    record.put("id", id);
    record.put("status", status.text());
    options.writeTo(record);
    record.put("requestedAt", requestedAtMs);
    record.put("worker", run.worker);
    record.put("startedAt", run.startedAtMs);
    record.put("updatedAt", run.updatedAtMs);
    record.put("endedAt", run.endedAtMs);
    record.put("generation", run.generation);
    record.put("visibleBefore", run.visibleBeforeMs);
    record.put("step", run.step);
    record.put("counts", counts);
    record.put("cases", run.cases.stream().map(ViewVerification::toAvro).toList());
    record.put("sources", run.sources.stream().map(ViewVerification::toAvro).toList());
    record.put("notLookedFor", run.notLookedFor.stream().map(ViewVerification::toAvro).toList());
    return record;
  }

  private static GenericRecord toAvro(NotLookedFor one) {
    GenericRecord record = new GenericData.Record(NOT_LOOKED_FOR);
    record.put("kind", one.kind.text());
    record.put("reason", one.reason);
    return record;
  }

  private static GenericRecord toAvro(SourceScan scan) {
    GenericRecord record = new GenericData.Record(SOURCE);
    record.put("source", scan.source);
    record.put("sourcePartition", scan.sourcePartition);
    record.put("number", scan.number);
    record.put("startedAt", scan.startedAtMs);
    record.put("endedAt", scan.endedAtMs);
    record.put("records", scan.records);
    record.put("refused", scan.refused);
    return record;
  }

  private static GenericRecord toAvro(Case one) {
    GenericRecord record = new GenericData.Record(CASE);
    record.put("kind", one.kind.text());
    record.put("key", one.key);
    record.put("primaryKey", one.primaryKey);
    record.put("expectedRevision", boxed(one.expectedRevision));
    record.put("actualRevision", boxed(one.actualRevision));
    record.put("cause", one.cause);
    record.put("repaired", one.repaired);
    return record;
  }

  private static Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }
}
