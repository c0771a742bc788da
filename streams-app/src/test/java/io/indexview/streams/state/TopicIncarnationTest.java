package io.indexview.streams.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopicIncarnationTest {
  private final MapMemory memory = new MapMemory(new HashMap<>());
  private TopicIncarnation topic = new TopicIncarnation(memory);

  private void isNow(String id, long nowMs) {
    topic.isAnother(Optional.of(id), nowMs);
  }

  private void come(long from, long to) {
    for (long offset = from; offset < to; offset++) {
      topic.eventComes(offset, 0);
    }
  }

  private void restart() {
    topic = new TopicIncarnation(memory);
  }

  @Test
  void isCertainOfTheTopicAgainWhenTheClockIsSetBack() {
    isNow("one", 3_600_000);
    topic.eventComes(9, 3_600_000);
    topic.eventComes(3, 3_600_000);
    isNow("one", 3_600_001);
    assertThat(topic.known()).isEmpty();
    isNow("one", 0);

    assertThat(topic.known()).contains("one");
  }

  /** The other topic has grown past 10 when the consumer reads on: no offset goes back. */
  private void readOnInTheOther() {
    isNow("one", 0);
    come(0, 10);
    come(10, 20);
    isNow("two", 3_600_000);
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
    isNow("two", 3_600_000);
    come(15, 21);

    assertThat(topic.mayMistake(14, 21)).isTrue();
    assertThat(topic.mayMistake(15, 21)).isFalse();
    restart();
    isNow("two", 3_600_000);
    assertThat(topic.mayMistake(14, 21)).isTrue();
    assertThat(topic.mayMistake(15, 21)).isFalse();
  }

  @Test
  void mayMistakeWhatCameBeforeTheStartThatNoticed() {
    isNow("one", 0);
    come(0, 10);
    restart();
    isNow("two", 0);
    assertThat(topic.mayMistake(0, 1)).isTrue();
    assertThat(topic.mayMistake(0, 0)).isFalse();

    come(4, 5);
    assertThat(topic.mayMistake(3, 5)).isTrue();
    assertThat(topic.mayMistake(4, 5)).isFalse();
  }
}
