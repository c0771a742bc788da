package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Asks the sources of a primary-change topic to publish every record again, as {@code
 * source-requests} holds it. Its key is the topic.
 *
 * @param number rises with each request; a source answers with a forced scan whose request number
 *     is at least this
 * @param requestedAtMs ms since the epoch
 */
public record SourceRequest(String topic, long number, long requestedAtMs) {
  public SourceRequest {
    Objects.requireNonNull(topic, "topic");
  }

  public static SourceRequest of(GenericRecord record) {
    return new SourceRequest(
        record.get("topic").toString(),
        (Long) record.get("number"),
        (Long) record.get("requestedAt"));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.SOURCE_REQUEST);
    record.put("topic", topic);
    record.put("number", number);
    record.put("requestedAt", requestedAtMs);
    return record;
  }
}
