package io.indexview.streams.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopicIncarnationTest {
  private final ManualClock clock = new ManualClock();
  private final MapMemory memory = new MapMemory(new HashMap<>());
  private TopicIncarnation topic = new TopicIncarnation(memory, clock);

  private void isNow(String id) {
    topic.isAnother(Optional.of(id));
  }

  private void come(long from, long to) {
    for (long offset = from; offset < to; offset++) {
      topic.eventComes(offset);
    }
  }

  private void restart() {
    topic = new TopicIncarnation(memory, clock);
  }

  @Test
  void isCertainOfTheTopicAgainAMinuteAfterAnEventThatCameOnceMore() {
    isNow("one");
    come(9, 10);
    come(3, 4);
    assertThat(topic.known()).isEmpty();
    clock.pass(Duration.ofMinutes(1).minusNanos(1));
    isNow("one");
    assertThat(topic.known()).isEmpty();
    clock.pass(Duration.ofNanos(1));
    isNow("one");

    assertThat(topic.known()).contains("one");
  }

  /** The other topic has grown past 10 when the consumer reads on: no offset goes back. */
  private void readOnInTheOther() {
    isNow("one");
    come(0, 10);
    come(10, 20);
    isNow("two");
  }

  @Test
  void mayMistakeEventsAtOffsetsThatFollowThoseOfTheTopicBefore() {
    readOnInTheOther();
    assertThat(topic.mayMistake(0, 20)).isTrue();
    assertThat(topic.mayMistake(0, 0)).isTrue();
    assertThat(topic.mayMistake(20, 20)).isFalse();

    come(20, 21);
    assertThat(topic.mayMistake(19, 21)).isTrue();
    assertThat(topic.mayMistake(20, 21)).isFalse();
  }

  @Test
  void knowsEventsThatComeOnceMoreFromThereOn() {
    readOnInTheOther();
    come(20, 21);
    restart();
    isNow("two");
    come(15, 21);

    assertThat(topic.mayMistake(14, 21)).isTrue();
    assertThat(topic.mayMistake(15, 21)).isFalse();
    restart();
    isNow("two");
    assertThat(topic.mayMistake(14, 21)).isTrue();
    assertThat(topic.mayMistake(15, 21)).isFalse();
  }

  @Test
  void mayMistakeWhatCameBeforeTheStartThatNoticed() {
    isNow("one");
    come(0, 10);
    restart();
    isNow("two");
    assertThat(topic.mayMistake(0, 1)).isTrue();
    assertThat(topic.mayMistake(0, 0)).isFalse();

    come(4, 5);
    assertThat(topic.mayMistake(3, 5)).isTrue();
    assertThat(topic.mayMistake(4, 5)).isFalse();
  }
}
