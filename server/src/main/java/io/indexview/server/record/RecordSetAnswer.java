package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.server.json.Json;
import java.time.Instant;
import java.util.List;

/**
 * A record set in an answer.
 *
 * @param writable whether this server writes and reads its records
 */
public record RecordSetAnswer(
    String name,
    String topic,
    int partitions,
    String format,
    List<String> uniqueFields,
    boolean writable,
    Instant changedAt,
    JsonNode schema) {

  /** All record sets. */
  public record RecordSets(List<RecordSetAnswer> recordSets) {}

  static RecordSetAnswer of(RecordSetInfo info, boolean writable) {
    return new RecordSetAnswer(
        info.name(),
        info.topic(),
        info.partitions(),
        info.format(),
        info.uniqueFields(),
        writable,
        Instant.ofEpochMilli(info.changedAtMs()),
        Json.tree(info.schema()));
  }
}
