package io.indexview.connect.s3;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;

/** A change topic of one partition, at first, that takes records as Connect writes them. */
public final class FakeLog {
  public static final String REGISTRY = "mock://s3-log";

  /** One for all logs, as a simulation has thousands and each converter translates its schemas. */
  private static final AvroConverter CONVERTER = new AvroConverter();

  static {
    CONVERTER.configure(Map.of("schema.registry.url", REGISTRY), false);
  }

  private final FakeTopic topic = new FakeTopic(1, Time.SYSTEM);

  public FakeLog() {
    this(0);
  }

  /**
   * @param begin retention took everything before
   */
  public FakeLog(long begin) {
    for (int i = 0; i < begin; i++) {
      topic.append(new byte[0], null, 0);
    }
    topic.trim();
  }

  /** Writes a record without a word to the one who sent it; its offset. */
  public long append(SourceRecord record) {
    return topic.append(
        record.key().toString().getBytes(StandardCharsets.UTF_8),
        CONVERTER.fromConnectData(record.topic(), record.valueSchema(), record.value()),
        record.timestamp());
  }

  /** Writes a record and acknowledges it; its offset. */
  public long deliver(SourceRecord record) {
    long offset = append(record);
    ((TrackedRecord) record)
        .acknowledged(
            new RecordMetadata(new TopicPartition(record.topic(), 0), offset, 0, 0, 0, 0));
    return offset;
  }

  /** The retention takes everything so far. */
  public void trim() {
    topic.trim();
  }

  /** Another topic of the name, with nothing in it; readers stay where they are. */
  public void recreate() {
    topic.recreate();
  }

  public void addPartition() {
    topic.addPartition();
  }

  /** Every event of the first partition ever, whatever was trimmed. */
  public List<LoggedEvent> events() {
    return topic.events(0);
  }

  ChangeTopicReader open() {
    return topic.open();
  }
}
