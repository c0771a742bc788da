package io.indexview.streams.topology;

import io.indexview.schemas.control.ReasonText;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.error.RegistryWait;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;

/** Makes dead-letter records: the whole record with its coordinates and what is wrong with it. */
final class DeadLetters {
  static final String STAGE = "indexview.stage";
  static final String REASON = "indexview.reason";
  static final String TOPIC = "indexview.topic";
  static final String PARTITION = "indexview.partition";
  static final String OFFSET = "indexview.offset";

  private static final int MAX_REASON = 2_000;

  private final String deadLetterTopic;
  private final String recordSet;
  private final int maxBytes;
  private final RegistryWait registryWait;
  private final AvroSerializer<GenericRecord> serializer;

  /**
   * @param maxBytes how large its key and value may be together; beyond that it goes without the
   *     value of the record in question, which its coordinates still lead to
   */
  DeadLetters(
      String deadLetterTopic,
      String recordSet,
      int maxBytes,
      SchemaRegistry registry,
      RegistryWait registryWait) {
    this.deadLetterTopic = deadLetterTopic;
    this.recordSet = recordSet;
    this.maxBytes = maxBytes;
    this.registryWait = registryWait;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  Record<byte[], byte[]> record(ChangeRecord change, DeadLetterReason problem) {
    byte[] key = change.key();
    byte[] value = change.value();
    String reason = ReasonText.bounded(problem.reason(), MAX_REASON);
    int room = maxBytes - 2 * MAX_REASON;
    if (key != null && key.length > room / 4) {
      reason = reason + " (the key of " + key.length + " bytes is left out here)";
      key = null;
    }
    if (value != null && value.length > room / 2) {
      reason = reason + " (the value of " + value.length + " bytes is left out here)";
      value = null;
    }
    GenericRecord record = fill(change, problem, reason, key, value);
    byte[] bytes = registryWait.get(() -> serializer.serialize(deadLetterTopic, record));
    return new Record<>(key, bytes, change.timestampMs(), headers(change, problem, reason));
  }

  private GenericRecord fill(
      ChangeRecord change, DeadLetterReason problem, String reason, byte[] key, byte[] value) {
    GenericRecord record = new GenericData.Record(ControlSchemas.DEAD_LETTER);
    record.put("stage", problem.stage().label());
    record.put("reason", reason);
    record.put("exception", problem.cause() == null ? null : problem.cause().getClass().getName());
    record.put("topic", change.topic());
    record.put("partition", change.partition());
    record.put("offset", change.offset());
    record.put("timestamp", change.timestampMs());
    record.put("recordSet", recordSet);
    record.put("view", problem.view());
    record.put("key", key == null ? null : ByteBuffer.wrap(key));
    record.put("value", value == null ? null : ByteBuffer.wrap(value));
    return record;
  }

  private static Headers headers(ChangeRecord change, DeadLetterReason problem, String reason) {
    return new RecordHeaders()
        .add(STAGE, text(problem.stage().label()))
        .add(REASON, text(reason))
        .add(TOPIC, text(change.topic()))
        .add(PARTITION, text(Integer.toString(change.partition())))
        .add(OFFSET, text(Long.toString(change.offset())));
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }
}
