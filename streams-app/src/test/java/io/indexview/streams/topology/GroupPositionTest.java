package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
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
  private static final String TOPIC = "topic-1";
  private static final TopicPartition FIRST = new TopicPartition("changes", 0);
  private static final TopicPartition SECOND = new TopicPartition("changes", 1);

  private final Set<TopicPartition> behind = new HashSet<>();
  private final List<Map<TopicPartition, Long>> asked = new ArrayList<>();
  private final Queue<Runnable> background = new ArrayDeque<>();
  private KafkaException outage;
  private Runnable whileAsked = () -> {};
  private final ManualClock clock = new ManualClock();
  private final GroupPosition position = new GroupPosition(this::behind, background::add, clock);

  private Set<TopicPartition> behind(Map<TopicPartition, Long> ends) {
    asked.add(new HashMap<>(ends));
    whileAsked.run();
    if (outage != null) {
      throw outage;
    }
    Set<TopicPartition> found = new HashSet<>(behind);
    found.retainAll(ends.keySet());
    return found;
  }

  private void answer() {
    background.remove().run();
    clock.pass(Duration.ofSeconds(1));
  }

  @Test
  void knowsWithoutAskingThatTheBeginIsPassed() {
    assertThat(position.hasPassed(TOPIC, FIRST, 0)).isTrue();
    assertThat(background).isEmpty();
  }

  @Test
  void saysNoUntilTheClusterHasAnswered() {
    assertThat(position.hasPassed(TOPIC, FIRST, 5)).isFalse();
    assertThat(asked).isEmpty();

    answer();
    assertThat(position.hasPassed(TOPIC, FIRST, 5)).isTrue();
    assertThat(position.hasPassed(TOPIC, FIRST, 4)).isTrue();
    assertThat(background).isEmpty();
    assertThat(position.hasPassed(TOPIC, FIRST, 6)).isFalse();
  }

  @Test
  void asksForAllWhoWantToKnowAtOnceAndNotAllTheTime() {
    behind.add(FIRST);
    position.hasPassed(TOPIC, FIRST, 5);
    position.hasPassed(TOPIC, SECOND, 7);
    position.hasPassed(TOPIC, FIRST, 6);
    assertThat(background).hasSize(1);
    answer();
    assertThat(asked).containsExactly(Map.of(FIRST, 6L, SECOND, 7L));

    assertThat(position.hasPassed(TOPIC, SECOND, 7)).isTrue();
    assertThat(position.hasPassed(TOPIC, FIRST, 5)).isFalse();
    position.hasPassed(TOPIC, FIRST, 5);
    assertThat(background).hasSize(1);
  }

  @Test
  void asksAgainAfterAnOutage() {
    outage = new KafkaException("away");
    position.hasPassed(TOPIC, FIRST, 5);
    answer();
    assertThat(position.hasPassed(TOPIC, FIRST, 5)).isFalse();

    outage = null;
    answer();
    assertThat(position.hasPassed(TOPIC, FIRST, 5)).isTrue();
  }

  @Test
  void knowsNothingOfATopicFromAnEarlierOneOfItsName() {
    position.hasPassed(TOPIC, FIRST, 100_000);
    answer();
    assertThat(position.hasPassed(TOPIC, FIRST, 100_000)).isTrue();

    behind.add(FIRST);
    assertThat(position.hasPassed("topic-2", FIRST, 200)).isFalse();
    answer();
    assertThat(position.hasPassed("topic-2", FIRST, 200)).isFalse();

    behind.clear();
    answer();
    assertThat(position.hasPassed("topic-2", FIRST, 200)).isTrue();
    assertThat(position.hasPassed("topic-2", FIRST, 201)).isFalse();
  }

  @Test
  void asksNoMoreForTheOffsetOfAnEarlierTopic() {
    position.hasPassed(TOPIC, FIRST, 100_000);
    position.hasPassed("topic-2", FIRST, 200);
    answer();
    assertThat(asked).containsExactly(Map.of(FIRST, 200L));
    assertThat(position.hasPassed("topic-2", FIRST, 200)).isTrue();
  }

  @Test
  void takesAnAnswerForThatOfTheTopicThatWasAskedFor() {
    position.hasPassed(TOPIC, FIRST, 100_000);
    whileAsked = () -> position.hasPassed("topic-2", FIRST, 200);
    answer();
    assertThat(position.hasPassed("topic-2", FIRST, 200)).isFalse();
  }
}
