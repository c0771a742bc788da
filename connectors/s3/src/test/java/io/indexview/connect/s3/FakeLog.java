package io.indexview.connect.s3;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.s3.record.ChangeTopic.Batch;
import io.indexview.connect.s3.record.ChangeTopic.Bounds;
import io.indexview.connect.s3.record.ChangeTopic.LoggedEvent;
import io.indexview.connect.s3.record.TrackedRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;

/** A change topic of one partition that takes records as Connect writes them. */
public final class FakeLog {
  public static final String REGISTRY = "mock://s3-log";

  private final AvroConverter converter = new AvroConverter();
  private final List<LoggedEvent> events = new ArrayList<>();
  private long begin;

  public FakeLog() {
    this(0);
  }

  /**
   * @param begin retention took everything before
   */
  public FakeLog(long begin) {
    this.begin = begin;
    converter.configure(Map.of("schema.registry.url", REGISTRY), false);
  }

  /** Writes a record without a word to the one who sent it. */
  public synchronized long append(SourceRecord record) {
    long offset = end();
    events.add(
        new LoggedEvent(
            0,
            offset,
            record.timestamp(),
            record.key().toString().getBytes(StandardCharsets.UTF_8),
            converter.fromConnectData(record.topic(), record.valueSchema(), record.value())));
    return offset;
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
  public synchronized void trim() {
    begin = end();
    events.clear();
  }

  public synchronized long end() {
    return begin + events.size();
  }

  /** Everything that is held, in order. */
  public synchronized List<LoggedEvent> events() {
    return List.copyOf(events);
  }

  public synchronized Bounds bounds() {
    return new Bounds(Map.of(0, begin), Map.of(0, end()));
  }

  public synchronized Batch read(Map<Integer, Long> positions) {
    int from = (int) (positions.get(0) - begin);
    return new Batch(events.subList(from, events.size()), Map.of(0, end()));
  }
}
