package io.indexview.streams.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.FailedEvents.EventFailedException;
import io.indexview.streams.error.StopSignal.StoppedException;
import java.util.List;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

class FailedEventsTest {
  private static final String TOPIC = "people";
  private static final long ANEW = 1L << 44;

  private final ManualClock clock = new ManualClock();
  private final FailedEvents events = new FailedEvents(clock);

  private RuntimeException fail(long position, Throwable failure) {
    return events.of(TOPIC, 3, position, failure);
  }

  private boolean isPassedOver(long position) {
    return events.reasonToPassOver(TOPIC, 3, position).isPresent();
  }

  private void passOver(long position) {
    for (int i = 0; i < FailedEvents.TRIES; i++) {
      assertThat(fail(position, new IllegalStateException("bug")))
          .isInstanceOf(EventFailedException.class);
    }
    assertThat(isPassedOver(position)).isTrue();
  }

  @Test
  void passesOverAnEventThatFailsAgain() {
    for (int i = 0; i < FailedEvents.TRIES; i++) {
      assertThat(isPassedOver(7)).isFalse();
      assertThat(fail(7, new IllegalStateException("bug")))
          .isInstanceOf(EventFailedException.class)
          .hasMessageContaining("offset 7 of partition 3 of topic people");
    }

    assertThat(isPassedOver(7)).isTrue();
    assertThat(isPassedOver(8)).isFalse();
    assertThat(events.reasonToPassOver(TOPIC, 4, 7)).isEmpty();
    assertThat(events.reasonToPassOver("orders", 3, 7)).isEmpty();
  }

  @Test
  void saysWhatFailedWithoutContentOfTheRecord() {
    for (int i = 0; i < FailedEvents.TRIES; i++) {
      fail(7, new IllegalStateException("Ann, 30"));
    }

    assertThat(events.reasonToPassOver(TOPIC, 3, 7))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith(
                        "processing it fails: java.lang.IllegalStateException at "
                            + getClass().getName())
                    .doesNotContain("Ann"));
  }

  @Test
  void getsPastEventsThatFailBeforeAnyOfThemIsCommitted() {
    List<Long> fatal = List.of(7L, 8L, 10L);
    int attempts = 0;
    while (attempts < 50 && !passes(fatal)) {
      attempts++;
    }

    assertThat(attempts).isEqualTo(fatal.size() * FailedEvents.TRIES);
  }

  /** A failure rolls back what was passed over before it, too. */
  private boolean passes(List<Long> fatal) {
    for (long position = 5; position < 12; position++) {
      if (fatal.contains(position) && !isPassedOver(position)) {
        fail(position, new StackOverflowError());
        return false;
      }
    }
    return true;
  }

  @Test
  void forgetsTheOldestOfMany() {
    fail(0, new IllegalStateException());
    for (int i = 0; i < FailedEvents.REMEMBERED; i++) {
      fail(1 + i, new IllegalStateException());
    }

    fail(0, new IllegalStateException());
    assertThat(isPassedOver(0)).as("it is counted anew").isFalse();
    fail(FailedEvents.REMEMBERED, new IllegalStateException());
    assertThat(isPassedOver(FailedEvents.REMEMBERED)).isTrue();
  }

  @Test
  void doesNotTakeTheEventOfATopicThatWasCreatedAnewForThatOfBefore() {
    passOver(7);

    assertThat(isPassedOver(ANEW + 7)).isFalse();
    assertThat(fail(ANEW + 7, new IllegalStateException())).hasMessageContaining("offset 7 of");
    assertThat(isPassedOver(ANEW + 7)).isFalse();
  }

  @Test
  void passesOverNoMoreWhereManyFailInAShortTime() {
    for (int i = 0; i < FailedEvents.PASSED_OVER; i++) {
      passOver(i);
    }
    IllegalStateException bug = new IllegalStateException("bug");
    long next = FailedEvents.PASSED_OVER;
    for (int i = 0; i <= FailedEvents.TRIES; i++) {
      assertThat(fail(next, bug))
          .isNotInstanceOf(EventFailedException.class)
          .hasMessageContaining("20 events failed within PT10M")
          .hasCause(bug);
    }
    assertThat(isPassedOver(next)).isFalse();
    assertThat(isPassedOver(0)).isTrue();

    clock.pass(FailedEvents.WINDOW.plusSeconds(1));
    passOver(next);
  }

  @Test
  void blamesNoEventForWhatFailsWithoutIt() {
    RuntimeException[] failures = {
      new StreamsException("fenced"),
      new RegistryException.Unavailable("down", null),
      new InterruptException("stop"),
      new StoppedException("closing"),
      new IllegalStateException(new TimeoutException("broker")),
      new IllegalStateException(new RegistryException.NotFound("lost")),
      new IllegalStateException(new NoClassDefFoundError("Gone")),
      new IllegalStateException(new OutOfMemoryError("heap")),
    };
    for (RuntimeException failure : failures) {
      for (int i = 0; i <= FailedEvents.TRIES; i++) {
        assertThat(fail(7, failure)).isSameAs(failure);
      }
    }
    Error[] errors = {
      new OutOfMemoryError("heap"),
      new InternalError(),
      new NoClassDefFoundError("Gone"),
      new ExceptionInInitializerError("broken"),
    };
    for (Error error : errors) {
      for (int i = 0; i <= FailedEvents.TRIES; i++) {
        assertThatThrownBy(() -> fail(7, error)).isSameAs(error);
      }
    }

    assertThat(isPassedOver(7)).isFalse();
  }
}
