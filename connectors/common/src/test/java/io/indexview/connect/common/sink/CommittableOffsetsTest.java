package io.indexview.connect.common.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class CommittableOffsetsTest {
  private static final TopicPartition ORIGINAL = new TopicPartition("original", 3);

  private final CommittableOffsets offsets = new CommittableOffsets();

  @Test
  void stopsBeforeTheFirstRecordInFlight() {
    List<SinkRecord> records = List.of(record(10), record(11), record(13));
    records.forEach(offsets::received);
    offsets.done(records.get(0));
    offsets.done(records.get(2));

    assertThat(offsets.committable(Map.of())).containsEntry(ORIGINAL, new OffsetAndMetadata(11));
    assertThat(offsets.anyInFlight()).isTrue();

    offsets.done(records.get(1));
    assertThat(offsets.committable(Map.of())).containsEntry(ORIGINAL, new OffsetAndMetadata(14));
    assertThat(offsets.anyInFlight()).isFalse();
  }

  @Test
  void passesRecordsThatNeverReachedTheSink() {
    TopicPartition unknown = new TopicPartition("other", 0);
    Map<TopicPartition, OffsetAndMetadata> consumed =
        Map.of(ORIGINAL, new OffsetAndMetadata(20), unknown, new OffsetAndMetadata(7));
    offsets.received(record(10));
    assertThat(offsets.committable(consumed))
        .containsEntry(ORIGINAL, new OffsetAndMetadata(10))
        .containsEntry(unknown, new OffsetAndMetadata(7));

    offsets.done(record(10));
    assertThat(offsets.committable(consumed)).isEqualTo(consumed);
  }

  @Test
  void knowsWhatIsNext() {
    List.of(record(10), record(11)).forEach(offsets::received);
    assertThat(offsets.isNext(record(10))).isTrue();
    assertThat(offsets.isNext(record(11))).isFalse();

    offsets.done(record(10));
    assertThat(offsets.isNext(record(11))).isTrue();
  }

  @Test
  void goesBackWhenARecordComesAgain() {
    offsets.received(record(10));
    offsets.done(record(10));
    offsets.received(record(10));

    assertThat(offsets.committable(Map.of())).containsEntry(ORIGINAL, new OffsetAndMetadata(10));
  }

  @Test
  void forgetsRevokedPartitions() {
    offsets.received(record(10));
    offsets.forget(List.of(ORIGINAL));
    offsets.done(record(10));

    assertThat(offsets.committable(Map.of())).isEmpty();
  }

  private static SinkRecord record(long offset) {
    return new SinkRecord(
        "renamed",
        0,
        null,
        null,
        null,
        null,
        99,
        0L,
        TimestampType.CREATE_TIME,
        null,
        "original",
        3,
        offset);
  }
}
