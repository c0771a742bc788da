package io.indexview.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.token.PipelinePositions.RejectedRecord;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class KafkaPositionsTest {
  private static final String DEAD_LETTERS = "indexview.dead-letters.kv";
  private static final TopicPartition FIRST = new TopicPartition(DEAD_LETTERS, 0);
  private static final TopicPartition SECOND = new TopicPartition(DEAD_LETTERS, 1);
  private static final int RECORDS_OF_A_POLL = 4;

  private final Log log = new Log();
  private final List<Long> taken = new ArrayList<>();

  /** Dead letters: an offset, and where the row that was rejected has the same. */
  private static final class Log extends MockConsumer<byte[], byte[]> {
    private long end = 10;
    private long recent;
    private int endsAsked;

    Log() {
      super("earliest");
    }

    Admin admin() {
      return (Admin)
          Proxy.newProxyInstance(
              Admin.class.getClassLoader(),
              new Class<?>[] {Admin.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "describeTopics" -> new Description();
                    case "listOffsets" -> offsets((Map<?, ?>) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    private ListOffsetsResult offsets(Map<?, ?> wanted) {
      Map.Entry<?, ?> one = wanted.entrySet().iterator().next();
      boolean isEnd = one.getValue() instanceof OffsetSpec.LatestSpec;
      endsAsked += isEnd ? 1 : 0;
      long offset = isEnd ? end : recent;
      return new ListOffsetsResult(
          Map.of(
              (TopicPartition) one.getKey(),
              KafkaFuture.completedFuture(
                  new ListOffsetsResultInfo(offset, -1, Optional.empty()))));
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      TopicPartition partition = assignment().iterator().next();
      long from = position(partition);
      long next = Math.min(end, from + RECORDS_OF_A_POLL);
      seek(partition, next);
      List<ConsumerRecord<byte[], byte[]>> found =
          LongStream.range(from, next).mapToObj(offset -> deadLetter(partition, offset)).toList();
      return new ConsumerRecords<>(Map.of(partition, found), Map.of());
    }

    private static ConsumerRecord<byte[], byte[]> deadLetter(
        TopicPartition partition, long offset) {
      ConsumerRecord<byte[], byte[]> deadLetter =
          new ConsumerRecord<>(
              DEAD_LETTERS, partition.partition(), offset, new byte[] {(byte) offset}, new byte[0]);
      Map.of("topic", "rows", "partition", partition.partition(), "offset", offset)
          .forEach(
              (name, value) ->
                  deadLetter
                      .headers()
                      .add(
                          "__connect.errors." + name,
                          value.toString().getBytes(StandardCharsets.UTF_8)));
      return deadLetter;
    }
  }

  private static final class Description extends DescribeTopicsResult {
    Description() {
      super(null, Map.of(DEAD_LETTERS, KafkaFuture.completedFuture(description())));
    }

    private static TopicDescription description() {
      List<TopicPartitionInfo> partitions =
          Stream.of(FIRST, SECOND)
              .map(one -> new TopicPartitionInfo(one.partition(), null, List.of(), List.of()))
              .toList();
      return new TopicDescription(DEAD_LETTERS, false, partitions, Set.of(), Uuid.ONE_UUID);
    }
  }

  private KafkaPositions positions(Duration timeout) {
    return new KafkaPositions(log.admin(), log, timeout);
  }

  /** As a number: those of the second partition are the hundreds. */
  private void take(RejectedRecord deadLetter) {
    taken.add(100L * deadLetter.row().partition() + deadLetter.offset());
  }

  private static Long[] numbers(int... numbers) {
    return IntStream.of(numbers).mapToObj(Long::valueOf).toArray(Long[]::new);
  }

  @Test
  void handsOverTheDeadLettersOfTheLastMinutesAndThenWhatComes() {
    KafkaPositions positions = positions(Duration.ofMinutes(1));
    log.recent = 8;

    positions.newDeadLetters(DEAD_LETTERS, this::take);
    assertThat(taken).containsExactly(numbers(8, 9, 108, 109));
    assertThat(log.endsAsked).as("once for each partition").isEqualTo(2);

    taken.clear();
    positions.newDeadLetters(DEAD_LETTERS, this::take);
    assertThat(taken).isEmpty();
    log.end = 11;
    positions.newDeadLetters(DEAD_LETTERS, this::take);
    assertThat(taken).containsExactly(numbers(10, 110));
  }

  /** So many that they are not read in the time of one call. */
  @Test
  void goesOnBehindTheDeadLettersThatACallReadBeforeItsTimeWasOver() {
    KafkaPositions positions = positions(Duration.ZERO);
    log.recent = 2;

    timesOut(positions, "offset 6 of 10");
    assertThat(taken).containsExactly(numbers(2, 3, 4, 5));
    // What is older by now was not, when the first call began.
    log.recent = 9;
    timesOut(positions, "offset 6 of 10");
    positions.newDeadLetters(DEAD_LETTERS, this::take);

    assertThat(taken)
        .containsExactly(numbers(2, 3, 4, 5, 6, 7, 8, 9, 102, 103, 104, 105, 106, 107, 108, 109));
  }

  @Test
  void tellsHowFarItReadKeysInTime() {
    List<Long> offsets = new ArrayList<>();

    long reached = positions(Duration.ZERO).keys(FIRST, 1, 9, (key, at) -> offsets.add(at));

    assertThat(reached).isEqualTo(5);
    assertThat(offsets).containsExactly(numbers(1, 2, 3, 4));
    assertThat(positions(Duration.ZERO).keys(FIRST, 8, 9, (key, at) -> offsets.add(at)))
        .isEqualTo(9);
    assertThat(offsets).containsExactly(numbers(1, 2, 3, 4, 8));
  }

  private void timesOut(KafkaPositions positions, String position) {
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> positions.newDeadLetters(DEAD_LETTERS, this::take))
        .withMessageContaining(position);
  }
}
