package io.indexview.streams.generation;

import io.indexview.schemas.serde.ControlSchemas;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Generations and states as the Avro records of the control topics. */
final class ControlRecords {
  private ControlRecords() {}

  static String generationKey(String view, int generation) {
    return view + "|" + generation;
  }

  static GenericRecord of(PublishedGeneration generation) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_GENERATION);
    record.put("view", generation.view());
    record.put("generation", generation.generation());
    record.put("definition", generation.definition());
    record.put("recordSet", generation.recordSet());
    record.put("sourceTopic", generation.sourceTopic());
    record.put("viewTopic", generation.viewTopic());
    record.put("readerSchemaId", generation.schemas().reader());
    record.put("keySchemaId", generation.schemas().key());
    record.put("valueSchemaId", generation.schemas().value());
    record.put("encodingVersion", generation.encodingVersion());
    record.put("createdAt", generation.createdAtMs());
    return record;
  }

  static PublishedGeneration generation(GenericRecord record) {
    return new PublishedGeneration(
        record.get("view").toString(),
        (Integer) record.get("generation"),
        record.get("definition").toString(),
        record.get("recordSet").toString(),
        record.get("sourceTopic").toString(),
        record.get("viewTopic").toString(),
        new PublishedGeneration.SchemaIds(
            (Integer) record.get("readerSchemaId"),
            (Integer) record.get("keySchemaId"),
            (Integer) record.get("valueSchemaId")),
        (Integer) record.get("encodingVersion"),
        (Long) record.get("createdAt"));
  }

  static GenericRecord building(String view, int generation, long nowMs) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_STATE);
    record.put("view", view);
    record.put(
        "state",
        new GenericData.EnumSymbol(
            ControlSchemas.VIEW_STATE.getField("state").schema(), "BUILDING"));
    record.put("buildingGeneration", generation);
    record.put("changedAt", nowMs);
    return record;
  }
}
