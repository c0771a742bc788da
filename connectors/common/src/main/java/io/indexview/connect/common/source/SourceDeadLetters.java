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

/** Builds dead letters of a source: primary records that it found and could not use. */
public final class SourceDeadLetters {
  /**
   * The most bytes of a primary record that an event or a dead letter carries. With the key, which
   * a dead letter has twice, and the reason that stays below the 1 MiB that a producer sends and a
   * broker takes unless set otherwise; more would end the task at each start.
   */
  public static final int MAX_VALUE_BYTES = 900 << 10;

  private static final String STAGE = "decode";

  /** A primary record in a store has no place in a topic yet. */
  private static final int NOT_IN_KAFKA = -1;

  private final String topic;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param topic the dead-letter topic
   */
  public SourceDeadLetters(String topic) {
    this.topic = topic;
  }

  /** The primary record that could not be used, whole. */
  public record Unreadable(String recordSet, String changesTopic, String key, byte[] value) {}

  /**
   * One dead letter. A value of more than {@link #MAX_VALUE_BYTES} is left out of it.
   *
   * @param sourcePartition its name in Connect's offsets
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
    byte[] found = unreadable.value();
    boolean carried = found.length <= MAX_VALUE_BYTES;
    byte[] key = unreadable.key().getBytes(StandardCharsets.UTF_8);
    GenericRecord deadLetter = new GenericData.Record(ControlSchemas.DEAD_LETTER);
    deadLetter.put("stage", STAGE);
    deadLetter.put("reason", carried ? reason : reason + leftOut(found.length));
    deadLetter.put("exception", cause == null ? null : cause.getClass().getName());
    deadLetter.put("topic", unreadable.changesTopic());
    deadLetter.put("partition", NOT_IN_KAFKA);
    deadLetter.put("offset", (long) NOT_IN_KAFKA);
    deadLetter.put("timestamp", timestamp);
    deadLetter.put("recordSet", unreadable.recordSet());
    deadLetter.put("key", ByteBuffer.wrap(key));
    deadLetter.put("value", carried ? ByteBuffer.wrap(found) : null);
    SchemaAndValue value = connectData.of(deadLetter);
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

  private static String leftOut(int bytes) {
    return "; the value is left out, its %d bytes are more than the %d of a dead letter"
        .formatted(bytes, MAX_VALUE_BYTES);
  }
}
