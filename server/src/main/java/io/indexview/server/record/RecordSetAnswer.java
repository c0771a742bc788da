package io.indexview.server.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.server.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A record set in an answer.
 *
 * @param writable whether this server writes and reads its records
 * @param valueFormat how they are written in the KV store; null: not known, or not in one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecordSetAnswer(
    String name,
    String topic,
    int partitions,
    String format,
    List<String> uniqueFields,
    boolean writable,
    String valueFormat,
    Instant changedAt,
    JsonNode schema) {

  /** All record sets. */
  public record RecordSets(List<RecordSetAnswer> recordSets) {}

  static RecordSetAnswer of(RecordSetInfo info, boolean kept, Optional<ValueFormat> values) {
    return new RecordSetAnswer(
        info.name(),
        info.topic(),
        info.partitions(),
        info.format(),
        info.uniqueFields(),
        kept && values.isPresent(),
        values.map(ValueFormat::toString).orElse(null),
        Instant.ofEpochMilli(info.changedAtMs()),
        Json.tree(info.schema()));
  }
}
