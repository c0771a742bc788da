package io.indexview.connect.common.source;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/** Builds dead letters of a source: primary records that it found and could not read. */
public final class DeadLetters {
  private static final String STAGE = "decode";

  /** A primary record in a store has no place in a topic yet. */
  private static final int NOT_IN_KAFKA = -1;

  private final String topic;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param topic the dead-letter topic
   */
  public DeadLetters(String topic) {
    this.topic = topic;
  }

  /** The primary record that could not be read, whole. */
  public record Unreadable(String recordSet, String changesTopic, String key, byte[] value) {}

  /**
   * One dead letter.
   *
   * @param sourcePartition of the slice, for Connect's offsets
   * @param sourceOffset what Connect stores once the record is acknowledged
   * @param reason what is wrong and what helps
   * @param cause may be null
   * @param timestamp ms since the epoch
   */
  public SourceRecord record(
      Map<String, ?> sourcePartition,
      Map<String, ?> sourceOffset,
      Unreadable unreadable,
      String reason,
      Exception cause,
      long timestamp) {
    byte[] key = unreadable.key().getBytes(StandardCharsets.UTF_8);
    GenericRecord letter = new GenericData.Record(ControlSchemas.DEAD_LETTER);
    letter.put("stage", STAGE);
    letter.put("reason", reason);
    letter.put("exception", cause == null ? null : cause.getClass().getName());
    letter.put("topic", unreadable.changesTopic());
    letter.put("partition", NOT_IN_KAFKA);
    letter.put("offset", (long) NOT_IN_KAFKA);
    letter.put("timestamp", timestamp);
    letter.put("recordSet", unreadable.recordSet());
    letter.put("key", ByteBuffer.wrap(key));
    letter.put("value", ByteBuffer.wrap(unreadable.value()));
    SchemaAndValue value = connectData.of(letter);
    return new SourceRecord(
        sourcePartition,
        sourceOffset,
        topic,
        null,
        Schema.STRING_SCHEMA,
        unreadable.key(),
        value.schema(),
        value.value(),
        timestamp);
  }
}
