package io.indexview.connect.common.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.errors.TryAgainException;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class RedeliveryTest {
  private static final TopicPartition ROWS = new TopicPartition("rows", 0);
  private static final TopicPartition OTHERS = new TopicPartition("others", 3);
  private static final Duration BACKOFF = Duration.ofSeconds(1);

  private final FakeSinkContext context = new FakeSinkContext();
  private final ManualClock clock = new ManualClock();
  private final List<List<Long>> tries = new ArrayList<>();
  private RuntimeException outage;
  private final Redelivery redelivery = new Redelivery(context, clock, this::take);

  RedeliveryTest() {
    context.assign(Set.of(ROWS, OTHERS));
  }

  private void take(Collection<SinkRecord> records) {
    tries.add(records.stream().map(SinkRecord::originalKafkaOffset).toList());
    if (outage != null) {
      throw outage;
    }
  }

  private static SinkRecord record(TopicPartition partition, long offset) {
    return new SinkRecord(partition.topic(), partition.partition(), null, null, null, null, offset);
  }

  private void begin() {
    outage = new TryAgainException("away", BACKOFF);
    redelivery.put(List.of(record(ROWS, 7), record(ROWS, 8)));
  }

  @Test
  void bringsTheSameRecordsAgainAfterTheBackoff() {
    begin();
    assertThat(context.paused()).containsExactlyInAnyOrder(ROWS, OTHERS);
    assertThat(context.nextScan()).isEqualTo(BACKOFF.toMillis());

    clock.pass(BACKOFF.dividedBy(2));
    redelivery.put(List.of());
    assertThat(tries).hasSize(1);
    assertThat(context.nextScan()).isEqualTo(BACKOFF.dividedBy(2).toMillis());

    clock.pass(BACKOFF.dividedBy(2));
    redelivery.put(List.of());
    assertThat(tries).containsExactly(List.of(7L, 8L), List.of(7L, 8L));

    outage = null;
    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(context.paused()).isEmpty();
    redelivery.put(List.of(record(ROWS, 9)));
    assertThat(tries).endsWith(List.of(7L, 8L), List.of(9L));
  }

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    begin();
    clock.setBack(Duration.ofHours(1));

    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(tries).containsExactly(List.of(7L, 8L), List.of(7L, 8L));
  }

  /** A sink that has something of its own to write again. */
  @Test
  void waitsAfterAnOutageThatNoRecordMet() {
    outage = new TryAgainException("away", BACKOFF);
    redelivery.put(List.of());
    outage = null;
    redelivery.put(List.of(record(ROWS, 7)));
    assertThat(tries).containsExactly(List.of());

    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(tries).containsExactly(List.of(), List.of(7L));
    assertThat(context.paused()).isEmpty();
  }

  @Test
  void bringsWhatCameMeanwhileBehindThem() {
    begin();
    redelivery.put(List.of(record(OTHERS, 1)));
    outage = null;
    clock.pass(BACKOFF);
    redelivery.put(List.of(record(ROWS, 9)));

    assertThat(tries).endsWith(List.of(7L, 8L, 1L, 9L));
  }

  @Test
  void pausesPartitionsThatAreAssignedMeanwhile() {
    begin();
    TopicPartition late = new TopicPartition("late", 0);
    context.assign(Set.of(ROWS, OTHERS, late));
    redelivery.put(List.of());
    assertThat(context.paused()).contains(late);

    outage = null;
    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(context.paused()).isEmpty();
  }

  @Test
  void hasNothingCommittedThatWaits() {
    Map<TopicPartition, OffsetAndMetadata> consumed =
        Map.of(ROWS, new OffsetAndMetadata(9), OTHERS, new OffsetAndMetadata(5));
    assertThat(redelivery.committable(consumed)).isEqualTo(consumed);

    begin();
    assertThat(redelivery.committable(consumed))
        .containsEntry(ROWS, new OffsetAndMetadata(7))
        .containsEntry(OTHERS, new OffsetAndMetadata(5));
    assertThat(redelivery.committable(Map.of(ROWS, new OffsetAndMetadata(6))))
        .containsExactly(Map.entry(ROWS, new OffsetAndMetadata(6)));

    outage = null;
    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(redelivery.committable(consumed)).isEqualTo(consumed);
  }

  @Test
  void leavesRecordsOfPartitionsThatOthersHaveNow() {
    outage = new TryAgainException("away", BACKOFF);
    redelivery.put(List.of(record(ROWS, 7), record(OTHERS, 1)));
    redelivery.forget(List.of(ROWS));
    context.assign(Set.of(OTHERS));

    outage = null;
    clock.pass(BACKOFF);
    redelivery.put(List.of());
    assertThat(tries).endsWith(List.of(1L));
    assertThat(context.paused()).isEmpty();
  }

  @Test
  void readsOnWhenPartitionsThatWereLostComeBack() {
    begin();
    redelivery.forget(List.of(ROWS, OTHERS));
    context.lose();
    outage = null;
    redelivery.put(List.of());

    context.assign(Set.of(ROWS, OTHERS));
    redelivery.put(List.of());
    assertThat(context.paused()).isEmpty();
  }

  @Test
  void letsThroughWhatNoTryHelpsAgainst() {
    outage = new DataException("no row");

    assertThatThrownBy(() -> redelivery.put(List.of(record(ROWS, 7)))).isSameAs(outage);
    assertThat(context.paused()).isEmpty();
  }
}
