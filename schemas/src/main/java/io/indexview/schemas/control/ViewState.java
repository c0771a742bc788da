package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * What is known of a view, as {@code view-states} holds it. It says all that a sink needs to keep
 * the view's metadata in the target, and all that a reader needs to read its rows.
 *
 * @param uid of the view in this installation, also when it is dropped and defined anew; a view of
 *     the name in another installation has another (as {@code metadata.uid} in Kubernetes)
 * @param version rises with every record of the view; never falls, not even after a drop
 * @param changedAtMs ms since the epoch
 * @param definitionVersion of the spec that this state has taken in
 * @param reason why it is not READY, or why a spec is refused; empty: nothing to say
 * @param target {@code kv}, {@code dynamodb}, or another that a generic Connect sink writes
 * @param sinkGroup consumer group of the sink of the target
 * @param generations that have rows, or may have
 * @param progress of the building generation, by partition
 * @param freshness of the serving generation
 */
public record ViewState(
    String view,
    String uid,
    long version,
    long changedAtMs,
    State state,
    long definitionVersion,
    String reason,
    String recordSet,
    String target,
    String sinkGroup,
    List<Generation> generations,
    List<Progress> progress,
    Freshness freshness) {
  /** Header of a view's tombstone: its {@link #uid}, which no state of it says any more. */
  public static final String UID_HEADER = "indexview.uid";

  /** What the {@link #reason} begins with where a definition is refused. */
  public static final String REFUSED =
      "the newest definition is refused (correct it; where its cause is gone, apply it again): ";

  /** What follows {@link #REFUSED} where the definition could not be read. */
  public static final String UNREADABLE = "it cannot be read: ";

  private static final Schema GENERATION =
      ControlSchemas.VIEW_STATE.getField("generations").schema().getElementType();
  private static final Schema PROGRESS =
      ControlSchemas.VIEW_STATE.getField("progress").schema().getElementType();
  private static final Schema STATE = ControlSchemas.VIEW_STATE.getField("state").schema();

  public ViewState {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(sinkGroup, "sinkGroup");
    generations = List.copyOf(generations);
    progress = List.copyOf(progress);
    Objects.requireNonNull(freshness, "freshness");
  }

  /** Readers serve READY views only, unless they are asked for less. */
  public enum State {
    /** A state of a newer release, which this one does not know. */
    UNKNOWN,
    BUILDING,
    READY,
    /** Rows may be wrong or missing; {@link ViewState#reason} says why. */
    DEGRADED,
    DELETING
  }

  /** What a generation is there for. */
  public enum Role {
    SERVING,
    BUILDING,
    /** Served before; still kept up to date, and may be rolled back to. */
    STANDBY,
    /**
     * To be removed: its rows go when no task writes it, the sink has applied its topic, and
     * readers had time to see that it does not serve.
     */
    RETIRING;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One generation.
   *
   * @param description the frozen generation as JSON, see {@code ViewGeneration}
   * @param rows that stand, as the tasks count them; empty: not known yet
   * @param keyBytes of the keys of these rows, as they are published
   * @param standbyUntilMs how long a standby may be rolled back to, ms since the epoch; empty:
   *     until its grace time has begun and is over
   */
  public record Generation(
      int number,
      Role role,
      long buildNumber,
      String description,
      OptionalLong rows,
      OptionalLong keyBytes,
      OptionalLong standbyUntilMs) {}

  /**
   * How far one partition of a build has come.
   *
   * @param done primary records built from
   * @param estimated primary records there are, about
   */
  public record Progress(int partition, long done, long estimated, boolean built) {}

  /**
   * How fresh the rows that serve are, as far as that is proven.
   *
   * @param visibleBeforeMs every change that was made before is in the rows, or was replaced by a
   *     later one; ms since the epoch, by the clock of the source's host. Empty: not known
   * @param heldBackBy what that waits for, if it stands still, for people; empty: it advances
   */
  public record Freshness(OptionalLong visibleBeforeMs, String heldBackBy) {
    public static final Freshness UNKNOWN = new Freshness(OptionalLong.empty(), "");

    public Freshness {
      Objects.requireNonNull(visibleBeforeMs, "visibleBeforeMs");
      Objects.requireNonNull(heldBackBy, "heldBackBy");
    }
  }

  /** The generation of a role; of several, the newest. */
  public Optional<Generation> generation(Role role) {
    return generations.stream()
        .filter(generation -> generation.role() == role)
        .reduce((older, newer) -> older.number() > newer.number() ? older : newer);
  }

  public Optional<Generation> serving() {
    return generation(Role.SERVING);
  }

  public Optional<Generation> building() {
    return generation(Role.BUILDING);
  }

  /**
   * Whether a spec was refused; the {@link #reason} says why. The version of one that could not be
   * read is not known, so then it may be any that is newer than what was taken in.
   */
  public boolean refuses(ViewSpec spec) {
    return definitionVersion == spec.version() && reason.startsWith(REFUSED)
        || definitionVersion < spec.version() && isUnreadable();
  }

  private boolean isUnreadable() {
    return reason.startsWith(REFUSED + UNREADABLE);
  }

  /** Primary records that the building generation is built from so far. */
  public OptionalLong done() {
    return progress.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(progress.stream().mapToLong(Progress::done).sum());
  }

  /** Primary records that the building generation will be built from, about. */
  public OptionalLong estimated() {
    return progress.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(progress.stream().mapToLong(Progress::estimated).sum());
  }

  public static ViewState of(GenericRecord record) {
    return new ViewState(
        record.get("view").toString(),
        record.get("uid").toString(),
        (Long) record.get("version"),
        (Long) record.get("changedAt"),
        EnumFields.constant(State.class, "state", record.get("state")),
        (Long) record.get("definitionVersion"),
        record.get("reason") == null ? "" : record.get("reason").toString(),
        record.get("recordSet").toString(),
        record.get("target").toString(),
        record.get("sinkGroup").toString(),
        ((List<?>) record.get("generations")).stream().map(ViewState::generationOf).toList(),
        ((List<?>) record.get("progress")).stream().map(ViewState::progressOf).toList(),
        new Freshness(optional(record.get("visibleBefore")), record.get("heldBackBy").toString()));
  }

  private static Generation generationOf(Object item) {
    GenericRecord record = (GenericRecord) item;
    return new Generation(
        (Integer) record.get("generation"),
        EnumFields.constant(Role.class, "role", record.get("role")),
        (Long) record.get("buildNumber"),
        record.get("description").toString(),
        optional(record.get("rows")),
        optional(record.get("keyBytes")),
        optional(record.get("standbyUntil")));
  }

  private static OptionalLong optional(Object number) {
    return number == null ? OptionalLong.empty() : OptionalLong.of((Long) number);
  }

  private static Progress progressOf(Object item) {
    GenericRecord record = (GenericRecord) item;
    return new Progress(
        (Integer) record.get("partition"),
        (Long) record.get("done"),
        (Long) record.get("estimated"),
        (Boolean) record.get("built"));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_STATE);
    record.put("view", view);
    record.put("uid", uid);
    record.put("state", new GenericData.EnumSymbol(STATE, state.name()));
    record.put("servingGeneration", number(serving()));
    record.put("buildingGeneration", number(building()));
    record.put("rowsDone", boxed(done()));
    record.put("rowsEstimated", boxed(estimated()));
    record.put("reason", reason.isEmpty() ? null : reason);
    record.put("changedAt", changedAtMs);
    record.put("visibleBefore", boxed(freshness.visibleBeforeMs()));
    record.put("heldBackBy", freshness.heldBackBy());
    record.put("version", version);
    record.put("definitionVersion", definitionVersion);
    record.put("recordSet", recordSet);
    record.put("target", target);
    record.put("sinkGroup", sinkGroup);
    record.put("generations", generations.stream().map(ViewState::avro).toList());
    record.put("progress", progress.stream().map(ViewState::avro).toList());
    return record;
  }

  private static GenericRecord avro(Generation generation) {
    GenericRecord record = new GenericData.Record(GENERATION);
    record.put("generation", generation.number());
    record.put("role", generation.role().text());
    record.put("buildNumber", generation.buildNumber());
    record.put("description", generation.description());
    record.put("rows", boxed(generation.rows()));
    record.put("keyBytes", boxed(generation.keyBytes()));
    record.put("standbyUntil", boxed(generation.standbyUntilMs()));
    return record;
  }

  private static GenericRecord avro(Progress progress) {
    GenericRecord record = new GenericData.Record(PROGRESS);
    record.put("partition", progress.partition());
    record.put("done", progress.done());
    record.put("estimated", progress.estimated());
    record.put("built", progress.built());
    return record;
  }

  private static Integer number(Optional<Generation> generation) {
    OptionalInt number =
        generation.map(found -> OptionalInt.of(found.number())).orElse(OptionalInt.empty());
    return number.isPresent() ? number.getAsInt() : null;
  }

  private static Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }
}
