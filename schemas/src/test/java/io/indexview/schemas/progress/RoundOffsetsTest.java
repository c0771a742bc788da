package io.indexview.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.progress.RoundOffsets.Questions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class RoundOffsetsTest {
  private static final TopicPartition ROWS = new TopicPartition("rows", 0);
  private static final TopicPartition OTHER_ROWS = new TopicPartition("other-rows", 0);
  private static final TopicPartition GONE = new TopicPartition("gone", 0);

  private final Brokers brokers = new Brokers();
  private final RoundOffsets offsets = new RoundOffsets(null, brokers);

  /** Knows two partitions and one group, and what it was asked for. */
  private static final class Brokers implements Questions {
    private final List<Set<?>> requests = new ArrayList<>();
    private long lastStable = 5;
    private long committed = 3;

    @Override
    public Map<TopicPartition, KafkaFuture<Long>> offsets(
        Set<TopicPartition> partitions, OffsetSpec spec) {
      requests.add(partitions);
      long offset = spec instanceof OffsetSpec.EarliestSpec ? 0 : lastStable;
      return partitions.stream()
          .collect(
              Collectors.toMap(
                  Function.identity(),
                  partition ->
                      partition.equals(GONE)
                          ? failed(new UnknownTopicOrPartitionException(partition.topic()))
                          : KafkaFuture.completedFuture(offset)));
    }

    @Override
    public Map<String, KafkaFuture<Map<TopicPartition, Long>>> committed(Set<String> groups) {
      requests.add(groups);
      Map<String, KafkaFuture<Map<TopicPartition, Long>>> answers = new HashMap<>();
      groups.forEach(
          group ->
              answers.put(
                  group,
                  group.equals("gone")
                      ? failed(new GroupIdNotFoundException(group))
                      : KafkaFuture.completedFuture(Map.of(ROWS, committed))));
      return answers;
    }

    private static <T> KafkaFuture<T> failed(RuntimeException failure) {
      KafkaFutureImpl<T> answer = new KafkaFutureImpl<>();
      answer.completeExceptionally(failure);
      return answer;
    }
  }

  /** Each asks for its own partition, and for its own group. */
  private void twoWait() {
    offsets.lastStable(Set.of(ROWS));
    offsets.lastStable(Set.of(OTHER_ROWS));
    offsets.committed("sink");
    offsets.committed("other-sink");
  }

  @Test
  void asksInOneRequestForAllThatAskedInTheRoundBefore() {
    twoWait();
    offsets.begin();
    brokers.requests.clear();
    twoWait();

    assertThat(brokers.requests)
        .containsExactly(Set.of(ROWS, OTHER_ROWS), Set.of("sink", "other-sink"));
  }

  @Test
  void asksForNothingTwiceInARound() {
    twoWait();
    brokers.requests.clear();
    twoWait();

    assertThat(brokers.requests).isEmpty();
  }

  @Test
  void asksNoLongerForWhatNobodyAskedForInTheRoundBefore() {
    twoWait();
    offsets.begin();
    offsets.lastStable(Set.of(ROWS));
    offsets.begin();
    brokers.requests.clear();
    offsets.lastStable(Set.of(ROWS));

    assertThat(brokers.requests).containsExactly(Set.of(ROWS));
  }

  @Test
  void seesInEachRoundWhatIsTrueThen() {
    offsets.lastStable(Set.of(ROWS));
    offsets.committed("sink");
    brokers.lastStable = 9;
    brokers.committed = 7;
    assertThat(offsets.lastStable(Set.of(ROWS))).containsExactly(Map.entry(ROWS, 5L));
    assertThat(offsets.committed("sink")).containsExactly(Map.entry(ROWS, 3L));

    offsets.begin();
    assertThat(offsets.lastStable(Set.of(ROWS))).containsExactly(Map.entry(ROWS, 9L));
    assertThat(offsets.committed("sink")).containsExactly(Map.entry(ROWS, 7L));
  }

  @Test
  void holdsUpNobodyWithAPartitionOrGroupThatIsGone() {
    assertThatThrownBy(() -> offsets.starts(Set.of(GONE)))
        .isInstanceOf(UnknownTopicOrPartitionException.class);
    assertThat(offsets.committed("gone")).isEmpty();
    offsets.begin();

    assertThat(offsets.starts(Set.of(ROWS))).containsExactly(Map.entry(ROWS, 0L));
    assertThat(offsets.committed("sink")).containsExactly(Map.entry(ROWS, 3L));
  }
}
