package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.JsonValues;
import org.apache.avro.generic.GenericRecord;

/** Writes Avro records as JSON that {@link JsonToRecord} reads back. */
public final class RecordToJson {
  private RecordToJson() {}

  public static JsonNode write(GenericRecord record) {
    return JsonValues.toJson(PlainValues.of(record.getSchema(), record));
  }
}
