package io.indexview.streams.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.FailedEvents.EventFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

class FailedEventsTest {
  private static final TopicPartition PARTITION = new TopicPartition("people", 3);

  private final FailedEvents events = new FailedEvents();

  @Test
  void passesOverAnEventThatFailsAgain() {
    for (int i = 0; i < FailedEvents.TRIES; i++) {
      assertThat(events.reasonToSkip(PARTITION, 7)).isEmpty();
      assertThat(events.of(PARTITION, 7, new IllegalStateException("bug")))
          .isInstanceOf(EventFailedException.class)
          .hasMessageContaining("offset 7 of people-3");
    }

    assertThat(events.reasonToSkip(PARTITION, 7))
        .hasValueSatisfying(reason -> assertThat(reason).contains("bug"));
    assertThat(events.reasonToSkip(PARTITION, 8)).isEmpty();
    assertThat(events.reasonToSkip(new TopicPartition("people", 4), 7)).isEmpty();
  }

  @Test
  void countsEachEventAnew() {
    events.of(PARTITION, 7, new StackOverflowError());
    events.of(PARTITION, 8, new StackOverflowError());

    assertThat(events.reasonToSkip(PARTITION, 8)).isEmpty();
  }

  @Test
  void blamesNoEventForWhatFailsWithoutIt() {
    RuntimeException[] failures = {
      new StreamsException("fenced"), new RegistryException.Unavailable("down", null)
    };
    for (RuntimeException failure : failures) {
      for (int i = 0; i <= FailedEvents.TRIES; i++) {
        assertThat(events.of(PARTITION, 7, failure)).isSameAs(failure);
      }
    }

    assertThat(events.reasonToSkip(PARTITION, 7)).isEmpty();
  }
}
