package io.indexview.streams.resnapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class GroupPositionTest {
  private static final TopicPartition FIRST = new TopicPartition("changes", 0);
  private static final TopicPartition SECOND = new TopicPartition("changes", 1);

  private final Set<TopicPartition> behind = new HashSet<>();
  private final List<Map<TopicPartition, Long>> asked = new ArrayList<>();
  private final Queue<Runnable> background = new ArrayDeque<>();
  private KafkaException outage;
  private long now;
  private final GroupPosition position =
      new GroupPosition(this::behind, background::add, () -> now);

  private Set<TopicPartition> behind(Map<TopicPartition, Long> ends) {
    asked.add(new HashMap<>(ends));
    if (outage != null) {
      throw outage;
    }
    Set<TopicPartition> found = new HashSet<>(behind);
    found.retainAll(ends.keySet());
    return found;
  }

  private void answer() {
    background.remove().run();
    now += Duration.ofSeconds(1).toNanos();
  }

  @Test
  void knowsWithoutAskingThatTheBeginIsPassed() {
    assertThat(position.hasPassed(FIRST, 0)).isTrue();
    assertThat(background).isEmpty();
  }

  @Test
  void saysNoUntilTheClusterHasAnswered() {
    assertThat(position.hasPassed(FIRST, 5)).isFalse();
    assertThat(asked).isEmpty();

    answer();
    assertThat(position.hasPassed(FIRST, 5)).isTrue();
    assertThat(position.hasPassed(FIRST, 4)).isTrue();
    assertThat(background).isEmpty();
    assertThat(position.hasPassed(FIRST, 6)).isFalse();
  }

  @Test
  void asksForAllWhoWantToKnowAtOnceAndNotAllTheTime() {
    behind.add(FIRST);
    position.hasPassed(FIRST, 5);
    position.hasPassed(SECOND, 7);
    position.hasPassed(FIRST, 6);
    assertThat(background).hasSize(1);
    answer();
    assertThat(asked).containsExactly(Map.of(FIRST, 6L, SECOND, 7L));

    assertThat(position.hasPassed(SECOND, 7)).isTrue();
    assertThat(position.hasPassed(FIRST, 5)).isFalse();
    position.hasPassed(FIRST, 5);
    assertThat(background).hasSize(1);
  }

  @Test
  void asksAgainAfterAnOutage() {
    outage = new KafkaException("away");
    position.hasPassed(FIRST, 5);
    answer();
    assertThat(position.hasPassed(FIRST, 5)).isFalse();

    outage = null;
    answer();
    assertThat(position.hasPassed(FIRST, 5)).isTrue();
  }
}
