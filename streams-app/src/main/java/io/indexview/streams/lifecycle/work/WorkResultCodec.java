package io.indexview.streams.lifecycle.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.schemas.serde.ControlSchemas;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Work results as records of {@code view-progress}. */
public final class WorkResultCodec {
  private static final Schema WORK =
      ControlSchemas.VIEW_PROGRESS.getField("work").schema().getTypes().get(1);
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private WorkResultCodec() {}

  /** Key on the topic. */
  public static String key(WorkResult result) {
    return "work|" + id(result);
  }

  /** Results of one id say all of the newest alone. */
  private static String id(WorkResult result) {
    String generation = result.view() + "|" + result.generation();
    if (result instanceof WorkResult.Answer answer) {
      return answer.work();
    }
    if (result instanceof WorkResult.Waiting waiting) {
      return "waiting|" + waiting.work();
    }
    if (result instanceof WorkResult.TopicFound) {
      return "topic-found|" + generation;
    }
    if (result instanceof WorkResult.RowRejected rejected) {
      return "row-rejected|" + generation + "|" + rejected.row().row();
    }
    if (result instanceof WorkResult.RowSuperseded superseded) {
      return "row-superseded|" + generation + "|" + superseded.row();
    }
    if (result instanceof WorkResult.SchemaChecked) {
      return "schema-checked|" + generation;
    }
    if (result instanceof WorkResult.RecordSetBroken broken) {
      return "record-set-broken|" + broken.recordSet();
    }
    if (result instanceof WorkResult.RecordSetWhole whole) {
      return "record-set-whole|" + whole.recordSet();
    }
    return "sink-fell-behind|" + generation;
  }

  /** Whether the record is a work result. */
  public static boolean isIn(GenericRecord record) {
    return record.get("work") != null;
  }

  /**
   * @param nowMs ms since the epoch
   */
  public static GenericRecord toAvro(WorkResult result, long nowMs) {
    JsonNode json = JSON.valueToTree(result);
    GenericRecord work = new GenericData.Record(WORK);
    work.put("id", id(result));
    work.put("kind", json.path("kind").asText());
    work.put("result", json.toString());
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_PROGRESS);
    record.put("view", result.view());
    record.put("generation", result.generation());
    record.put("reportedAt", nowMs);
    record.put("work", work);
    return record;
  }

  /**
   * The result in a record of the topic, see {@link #isIn}.
   *
   * @throws IllegalArgumentException if it is none, or of a kind that this release does not know
   */
  public static WorkResult of(GenericRecord record) {
    GenericRecord work = (GenericRecord) record.get("work");
    try {
      return JSON.readValue(work.get("result").toString(), WorkResult.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "work result %s of kind %s: %s"
              .formatted(work.get("id"), work.get("kind"), e.getOriginalMessage()),
          e);
    }
  }
}
