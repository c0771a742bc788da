package io.indexview.connect.s3.record;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A change event that somebody waits for. Connect hands this very object back once Kafka has it,
 * whatever transformations made of it.
 */
public final class TrackedRecord extends SourceRecord {
  private final Consumer<RecordMetadata> whenAcknowledged;

  /**
   * @param whenAcknowledged gets null if the record was filtered out, or its failure is tolerated
   */
  public TrackedRecord(
      Position position,
      String topic,
      String key,
      SchemaAndValue value,
      long timestamp,
      Consumer<RecordMetadata> whenAcknowledged) {
    super(
        position.partition(),
        position.offset(),
        topic,
        null,
        Schema.STRING_SCHEMA,
        key,
        value.schema(),
        value.value(),
        timestamp);
    this.whenAcknowledged = Objects.requireNonNull(whenAcknowledged, "whenAcknowledged");
  }

  /** Says that Connect is done with the record; called once. */
  public void acknowledged(RecordMetadata metadata) {
    whenAcknowledged.accept(metadata);
  }

  /**
   * What Connect stores of a record.
   *
   * @param partition names the queue or the source partition
   * @param offset what a restart needs to know
   */
  public record Position(Map<String, Object> partition, Map<String, Object> offset) {}
}
