package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.EnumFields;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import io.indexview.streams.controller.rules.ControlledView.Checking;
import io.indexview.streams.controller.rules.ControlledView.Deletion;
import io.indexview.streams.controller.rules.ControlledView.Freezing;
import io.indexview.streams.controller.rules.ControlledView.Leftover;
import io.indexview.streams.controller.rules.ControlledView.Placement;
import io.indexview.streams.controller.rules.ControlledView.Published;
import io.indexview.streams.controller.rules.ControlledView.Snapshot;
import io.indexview.streams.controller.rules.Faults.WrongRows;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** A controlled view as {@code ControllerStateRecord.avsc} has it. */
public final class ControlledViewCodec {
  private static final Schema VIEW =
      ControlSchemas.CONTROLLER_STATE.getField("view").schema().getTypes().get(1);

  private ControlledViewCodec() {}

  public static GenericRecord write(ControlledView view) {
    GenericRecord record = new GenericData.Record(VIEW);
    record.put("name", view.view);
    record.put("uid", view.uid);
    record.put("desired", view.spec == null ? null : view.spec.toAvro());
    record.put("resolvedVersion", view.resolved);
    record.put("refusal", view.refusal);
    record.put("snapshot", write("snapshot", view.snapshot));
    record.put("freezing", freezing(view.freezing));
    record.put("deletion", write("deletion", view.deletion));
    record.put("goal", view.goal);
    record.put("lastGeneration", view.lastNumber);
    record.put("stateVersion", view.version);
    record.put("appliedVersion", view.applied);
    record.put("checks", view.checks);
    record.put("checking", write("checking", view.checking));
    record.put("recordSet", view.placement.recordSet());
    record.put("target", view.placement.target());
    record.put("sinkGroup", view.placement.sinkGroup());
    record.put("generations", view.generations.stream().map(ControlledViewCodec::write).toList());
    record.put("leftoverTopics", view.leftovers.stream().map(ControlledViewCodec::write).toList());
    record.put("waitingFor", new TreeMap<>(view.waiting));
    record.put("publishedSubstance", view.published.substance());
    record.put("publishedDigest", view.published.digest());
    record.put("publishedAt", view.published.atMs());
    return record;
  }

  private static GenericRecord write(String field, Snapshot snapshot) {
    return snapshot == null
        ? null
        : record(optional(VIEW, field), snapshot.recordSet(), snapshot.request(), snapshot.done());
  }

  private static GenericRecord freezing(Freezing freezing) {
    return freezing == null
        ? null
        : record(
            optional(VIEW, "freezing"),
            freezing.spec().toAvro(),
            freezing.number(),
            freezing.viewTopic());
  }

  private static GenericRecord write(String field, Deletion deletion) {
    return deletion == null
        ? null
        : record(optional(VIEW, field), deletion.tombstone(), deletion.applied());
  }

  private static GenericRecord write(String field, Checking checking) {
    return checking == null
        ? null
        : record(optional(VIEW, field), checking.generation(), checking.number());
  }

  private static GenericRecord write(Leftover leftover) {
    return record(
        items(VIEW, "leftoverTopics"),
        leftover.generation(),
        leftover.viewTopic(),
        leftover.version());
  }

  private static GenericRecord write(ControlledGeneration generation) {
    Schema schema = items(VIEW, "generations");
    Faults faults = generation.faults();
    return record(
        schema,
        generation.published().toAvro(),
        generation.description(),
        generation.store(),
        generation.partitions(),
        generation.stage().name().toLowerCase(Locale.ROOT),
        generation.standing().since(),
        generation.standing().graceUntilMs(),
        new TreeMap<>(faults.deadLetters().next())
            .entrySet().stream()
                .map(
                    read ->
                        record(items(schema, "deadLettersRead"), read.getKey(), read.getValue()))
                .toList(),
        new TreeMap<>(faults.rejected())
            .values().stream()
                .map(
                    row ->
                        record(
                            items(schema, "rejectedRows"),
                            row.row(),
                            row.partition(),
                            row.offset(),
                            row.reason()))
                .toList(),
        faults.tooMany(),
        faults.missedChanges(),
        faults.schema(),
        faults.wrong().verification(),
        faults.wrong().rows(),
        faults.deadLetters().topicId());
  }

  private static Schema optional(Schema record, String field) {
    return record.getField(field).schema().getTypes().get(1);
  }

  private static Schema items(Schema record, String field) {
    return record.getField(field).schema().getElementType();
  }

  /** Values in the order of the schema's fields. */
  private static GenericRecord record(Schema schema, Object... values) {
    GenericRecord record = new GenericData.Record(schema);
    for (int i = 0; i < values.length; i++) {
      record.put(i, values[i]);
    }
    return record;
  }

  public static ControlledView read(GenericRecord record) {
    ControlledView.Builder view =
        new ControlledView.Builder(text(record, "name"), text(record, "uid"));
    view.spec = read(record, "desired", ViewSpec::of);
    view.resolved = number(record, "resolvedVersion");
    view.refusal = text(record, "refusal");
    view.snapshot =
        read(
            record,
            "snapshot",
            found ->
                new Snapshot(
                    text(found, "recordSet"), number(found, "request"), is(found, "done")));
    view.freezing =
        read(
            record,
            "freezing",
            found ->
                new Freezing(
                    ViewSpec.of((GenericRecord) found.get("desired")),
                    (Integer) found.get("generation"),
                    text(found, "viewTopic")));
    view.deletion =
        read(
            record,
            "deletion",
            found -> new Deletion(number(found, "tombstone"), is(found, "applied")));
    view.goal = (Integer) record.get("goal");
    view.lastNumber = (Integer) record.get("lastGeneration");
    view.version = number(record, "stateVersion");
    view.applied = number(record, "appliedVersion");
    view.checks = number(record, "checks");
    view.checking =
        read(
            record,
            "checking",
            found -> new Checking((Integer) found.get("generation"), number(found, "check")));
    view.placement =
        new Placement(text(record, "recordSet"), text(record, "target"), text(record, "sinkGroup"));
    list(record, "generations").forEach(found -> view.put(generation(found)));
    list(record, "leftoverTopics")
        .forEach(
            found ->
                view.addLeftover(
                    new Leftover(
                        (Integer) found.get("generation"),
                        text(found, "viewTopic"),
                        number(found, "version"))));
    ((Map<?, ?>) record.get("waitingFor"))
        .forEach((action, reason) -> view.waiting.put(action.toString(), reason.toString()));
    view.published =
        new Published(
            text(record, "publishedSubstance"),
            text(record, "publishedDigest"),
            number(record, "publishedAt"));
    return view.build();
  }

  private static ControlledGeneration generation(GenericRecord record) {
    return new ControlledGeneration(
        PublishedGeneration.of((GenericRecord) record.get("published")),
        text(record, "description"),
        text(record, "store"),
        (Integer) record.get("partitions"),
        new Standing(
            EnumFields.constant(Stage.class, "stage", record.get("stage")),
            number(record, "since"),
            number(record, "graceUntil")),
        faults(record));
  }

  private static Faults faults(GenericRecord record) {
    Map<Integer, Long> read = new HashMap<>();
    list(record, "deadLettersRead")
        .forEach(found -> read.put((Integer) found.get("partition"), number(found, "next")));
    Map<String, RejectedRow> rejected = new HashMap<>();
    list(record, "rejectedRows")
        .forEach(
            found ->
                rejected.put(
                    text(found, "row"),
                    new RejectedRow(
                        text(found, "row"),
                        (Integer) found.get("partition"),
                        number(found, "offset"),
                        text(found, "reason"))));
    return new Faults(
        new DeadLetterPosition(text(record, "deadLetterTopicId"), read),
        rejected,
        is(record, "tooManyRejected"),
        text(record, "missedChanges"),
        text(record, "unreadable"),
        new WrongRows(text(record, "foundWrongBy"), number(record, "wrongRows")));
  }

  private static <T> T read(GenericRecord record, String field, Function<GenericRecord, T> reader) {
    GenericRecord found = (GenericRecord) record.get(field);
    return found == null ? null : reader.apply(found);
  }

  private static List<GenericRecord> list(GenericRecord record, String field) {
    return ((List<?>) record.get(field)).stream().map(GenericRecord.class::cast).toList();
  }

  private static String text(GenericRecord record, String field) {
    return record.get(field).toString();
  }

  private static long number(GenericRecord record, String field) {
    return (Long) record.get(field);
  }

  private static boolean is(GenericRecord record, String field) {
    return (Boolean) record.get(field);
  }
}
