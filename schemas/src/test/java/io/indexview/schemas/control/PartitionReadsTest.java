package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.PartitionReads.StandstillException;
import io.indexview.schemas.fixtures.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class PartitionReadsTest {
  @Test
  void readsForLongerThanTheTimeoutWhileRecordsCome() {
    TopicPartition partition = new TopicPartition("requests", 0);
    MockConsumer<byte[], byte[]> slow = consumer(partition);
    List<Long> read = new ArrayList<>();
    ManualClock clock = new ManualClock();
    for (long offset = 0; offset < 40; offset++) {
      ConsumerRecord<byte[], byte[]> message =
          new ConsumerRecord<>("requests", 0, offset, text("a"), null);
      slow.schedulePollTask(
          () -> {
            clock.pass(Duration.ofSeconds(1));
            slow.addRecord(message);
          });
    }

    new PartitionReads(slow, PartitionReads.STANDSTILL, clock)
        .toEnds(Map.of(partition, 40L), message -> read.add(message.offset()));

    assertThat(read).hasSize(40);
  }

  @Test
  void givesUpWhenNothingComesForTheTimeout() {
    TopicPartition partition = new TopicPartition("requests", 0);
    ManualClock clock = new ManualClock();
    MockConsumer<byte[], byte[]> silent = consumer(partition);
    for (int poll = 0; poll < 40; poll++) {
      silent.schedulePollTask(() -> clock.pass(Duration.ofSeconds(1)));
    }

    assertThatThrownBy(
            () ->
                new PartitionReads(silent, PartitionReads.STANDSTILL, clock)
                    .toEnds(Map.of(partition, 1L), message -> {}))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("requests")
        .hasMessageContaining("nothing was read for 30 s");
  }

  @Test
  void givesUpNoPartitionWhileAnotherComesFurther() {
    TopicPartition first = new TopicPartition("rows", 0);
    TopicPartition second = new TopicPartition("rows", 1);
    MockConsumer<byte[], byte[]> consumer = consumer(first, second);
    ManualClock clock = new ManualClock();
    List<String> read = new ArrayList<>();
    for (long offset = 0; offset < 6; offset++) {
      long next = offset;
      consumer.schedulePollTask(
          () -> {
            clock.pass(Duration.ofSeconds(10));
            add(consumer, first, next);
          });
    }
    consumer.schedulePollTask(() -> clock.pass(Duration.ofSeconds(20)));
    consumer.schedulePollTask(() -> add(consumer, second, 0));

    new PartitionReads(consumer, Duration.ofSeconds(30), clock)
        .toEnds(
            Map.of(first, 6L, second, 1L),
            message -> read.add(message.partition() + "@" + message.offset()));

    assertThat(read).containsExactly("0@0", "0@1", "0@2", "0@3", "0@4", "0@5", "1@0");
  }

  @Test
  void givesUpThePartitionsThatStandStillForAsLongAsItIsTold() {
    TopicPartition first = new TopicPartition("rows", 0);
    TopicPartition second = new TopicPartition("rows", 1);
    MockConsumer<byte[], byte[]> consumer = consumer(first, second);
    ManualClock clock = new ManualClock();
    consumer.schedulePollTask(() -> add(consumer, first, 0));
    for (int poll = 0; poll < 9; poll++) {
      consumer.schedulePollTask(() -> clock.pass(Duration.ofMinutes(1)));
    }
    long before = clock.nanoTime();

    assertThatThrownBy(
            () ->
                new PartitionReads(consumer, Duration.ofMinutes(5), clock)
                    .toEnds(Map.of(first, 1L, second, 1L), message -> {}))
        .hasMessage(
            "not read to their ends: [rows-1]; nothing was read for 300 s; is a transaction open?")
        .isInstanceOfSatisfying(
            StandstillException.class,
            failure -> assertThat(failure.partitions()).containsExactly(second));
    assertThat(Duration.ofNanos(clock.nanoTime() - before))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(7));
  }

  @Test
  void passesOnWhatIsBehindAnEndWhereItIsFetchedWithTheRest() {
    TopicPartition partition = new TopicPartition("rows", 0);
    MockConsumer<byte[], byte[]> consumer = consumer(partition);
    List<Long> read = new ArrayList<>();
    consumer.schedulePollTask(() -> add(consumer, partition, 0, 1, 2));
    consumer.schedulePollTask(() -> add(consumer, partition, 3));

    new PartitionReads(consumer, Duration.ofSeconds(1), new ManualClock())
        .toEnds(Map.of(partition, 1L), message -> read.add(message.offset()));

    assertThat(read).containsExactly(0L, 1L, 2L);
    assertThat(consumer.assignment()).containsExactly(partition);
  }

  @Test
  void readsSeveralPartitionsEachToItsEndAndNotOn() {
    TopicPartition first = new TopicPartition("rows", 0);
    TopicPartition second = new TopicPartition("rows", 1);
    MockConsumer<byte[], byte[]> consumer = consumer(first, second);
    List<String> read = new ArrayList<>();
    consumer.schedulePollTask(() -> add(consumer, first, 0, 1));
    consumer.schedulePollTask(
        () -> {
          assertThat(consumer.assignment()).containsExactly(second);
          add(consumer, second, 0, 1);
        });
    consumer.schedulePollTask(() -> add(consumer, second, 2));

    new PartitionReads(consumer, Duration.ofSeconds(1), new ManualClock())
        .toEnds(
            Map.of(first, 2L, second, 3L),
            message -> read.add(message.partition() + "@" + message.offset()));

    assertThat(read).containsExactly("0@0", "0@1", "1@0", "1@1", "1@2");
  }

  private static void add(
      MockConsumer<byte[], byte[]> consumer, TopicPartition partition, long... offsets) {
    for (long offset : offsets) {
      consumer.addRecord(
          new ConsumerRecord<>(
              partition.topic(), partition.partition(), offset, text("a"), text("b")));
    }
  }

  private static MockConsumer<byte[], byte[]> consumer(TopicPartition... partitions) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.assign(List.of(partitions));
    for (TopicPartition partition : partitions) {
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
    }
    return consumer;
  }

  private static byte[] text(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
