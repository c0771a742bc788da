package io.indexview.connect.s3.record;

import io.indexview.connect.common.source.DeadLetters;
import io.indexview.connect.s3.queue.QueueMessage;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/** Messages that can never be read, as dead letters: their key is the message's id. */
public final class MessageLetters {
  private final DeadLetters letters;
  private final String changesTopic;
  private final Clock clock;

  /**
   * @param changesTopic where their events would have gone
   */
  public MessageLetters(String deadLetterTopic, String changesTopic, Clock clock) {
    this.letters = new DeadLetters(deadLetterTopic);
    this.changesTopic = changesTopic;
    this.clock = clock;
  }

  /** The dead letter of one message, body included. */
  public TrackedRecord letter(
      QueueMessage message,
      Exception reason,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    SourceRecord letter =
        letters.record(
            position.partition(),
            position.offset(),
            new DeadLetters.Unreadable(
                null, changesTopic, message.id(), message.body().getBytes(StandardCharsets.UTF_8)),
            reason.getMessage(),
            reason,
            clock.millis());
    return new TrackedRecord(
        position,
        letter.topic(),
        message.id(),
        new SchemaAndValue(letter.valueSchema(), letter.value()),
        letter.timestamp(),
        whenAcknowledged);
  }
}
