package io.indexview.streams.controller;

import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.controller.rules.ControlledView;
import io.indexview.streams.controller.rules.ControlledViewCodec;
import io.indexview.streams.controller.rules.RecordSetLoss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** What the controller remembers, as {@code ControllerStateRecord.avsc} has it. */
final class ControllerMemory {
  /** Form 1 has no uids of views: who knows no other would lose them, and sinks hold views off. */
  private static final int NEWEST_FORM = 2;

  private final List<ControlledView> views = new ArrayList<>();
  private final Map<String, RecordSetLoss> losses = new TreeMap<>();
  private Read read;

  /** How far {@code view-definitions} is read. */
  record Read(String topicId, long offset) {}

  List<ControlledView> views() {
    return views;
  }

  Map<String, RecordSetLoss> losses() {
    return losses;
  }

  Optional<Read> read() {
    return Optional.ofNullable(read);
  }

  /**
   * @throws IllegalStateException if a newer release wrote it
   */
  void add(GenericRecord record) {
    int form = (Integer) record.get("form");
    if (form > NEWEST_FORM) {
      throw new IllegalStateException(
          "what the controller of the views remembers has form %d; this release knows 1 to %d: use the newer release"
              .formatted(form, NEWEST_FORM));
    }
    if (record.get("view") instanceof GenericRecord view) {
      views.add(ControlledViewCodec.read(view));
    }
    if (record.get("recordSet") instanceof GenericRecord set) {
      losses.put(
          set.get("name").toString(),
          new RecordSetLoss(
              (Long) set.get("since"),
              set.get("reason").toString(),
              (Long) set.get("wholeAt"),
              set.get("hindrance").toString(),
              (Long) set.get("stateLostAt"),
              ((List<?>) set.get("changelogIds")).stream().map(Object::toString).toList()));
    }
    if (record.get("read") instanceof GenericRecord definitions) {
      read = new Read(definitions.get("topicId").toString(), (Long) definitions.get("offset"));
    }
  }

  /** Returns the records to write, by key. */
  static Map<String, GenericRecord> records(Reconciler.Changes changes, Read read) {
    Map<String, GenericRecord> records = new LinkedHashMap<>();
    changes.views.forEach(
        (name, view) ->
            records.put("view|" + name, record("view", ControlledViewCodec.write(view))));
    changes.losses.forEach((name, loss) -> records.put("record-set|" + name, loss(name, loss)));
    GenericRecord definitions = part("read");
    definitions.put("topicId", read.topicId());
    definitions.put("offset", read.offset());
    records.put("read", record("read", definitions));
    return records;
  }

  private static GenericRecord loss(String name, RecordSetLoss loss) {
    GenericRecord set = part("recordSet");
    set.put("name", name);
    set.put("since", loss.sinceMs());
    set.put("reason", loss.reason());
    set.put("wholeAt", loss.wholeAtMs());
    set.put("hindrance", loss.hindrance());
    set.put("stateLostAt", loss.stateLostAtMs());
    set.put("changelogIds", loss.topicIds());
    return record("recordSet", set);
  }

  private static GenericRecord part(String field) {
    Schema schema = ControlSchemas.CONTROLLER_STATE.getField(field).schema().getTypes().get(1);
    return new GenericData.Record(schema);
  }

  private static GenericRecord record(String field, GenericRecord part) {
    GenericRecord record = new GenericData.Record(ControlSchemas.CONTROLLER_STATE);
    record.put("form", NEWEST_FORM);
    record.put(field, part);
    return record;
  }
}
