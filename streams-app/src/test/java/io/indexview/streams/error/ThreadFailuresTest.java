package io.indexview.streams.error;

import static org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.REPLACE_THREAD;
import static org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.RegistryException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.MissingSourceTopicException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

class ThreadFailuresTest {
  private final StopSignal stop = new StopSignal();
  private final ManualClock clock = new ManualClock();
  private final List<Throwable> givenUp = new ArrayList<>();
  private final ThreadFailures failures =
      new ThreadFailures("A stream thread", stop, clock, givenUp::add);

  @Test
  void replacesAThreadAFewTimesThenEndsTheClient() {
    StreamsException bug = new StreamsException("bug");
    for (int i = 0; i < ThreadFailures.REPLACEMENTS; i++) {
      assertThat(failures.handle(bug)).isEqualTo(REPLACE_THREAD);
    }

    assertThat(failures.handle(bug)).isEqualTo(SHUTDOWN_CLIENT);
    assertThat(givenUp).containsExactly(bug);
  }

  @Test
  void forgetsFailuresThatAreLongAgo() {
    for (int i = 0; i < 10; i++) {
      assertThat(failures.handle(new StreamsException("rare"))).isEqualTo(REPLACE_THREAD);
      clock.pass(ThreadFailures.WINDOW.plusSeconds(1));
    }
  }

  @Test
  void waitsOutAnOutageHoweverLongItTakes() {
    for (int i = 0; i < 50; i++) {
      assertThat(failures.handle(new StreamsException("x", new TimeoutException("broker"))))
          .isEqualTo(REPLACE_THREAD);
      assertThat(
              failures.handle(
                  new StreamsException("x", new RegistryException.Unavailable("down", null))))
          .isEqualTo(REPLACE_THREAD);
    }
    assertThat(givenUp).isEmpty();
  }

  /** All threads of a process that stood still may be in the middle of a commit. */
  @Test
  void goesOnHoweverManyTransactionsTheBrokersAborted() {
    for (int i = 0; i < 50; i++) {
      StreamsException aborted =
          new StreamsException(
              "Error encountered trying to commit a transaction",
              new InvalidTxnStateException("an operation in an invalid state"));
      assertThat(failures.handle(aborted)).isEqualTo(REPLACE_THREAD);
    }
    assertThat(givenUp).isEmpty();
  }

  @Test
  void waitsUntilTheRecordSetOfATopicThatIsGoneIsSetAside() {
    for (int i = 0; i < 50; i++) {
      assertThat(failures.handle(new MissingSourceTopicException("gone")))
          .isEqualTo(REPLACE_THREAD);
    }
    assertThat(givenUp).isEmpty();
  }

  @Test
  void isNotEndedByOneEvent() {
    FailedEvents events = new FailedEvents(clock);
    for (int offset = 0; offset < 50; offset++) {
      RuntimeException failure = events.of("people", 1, offset, new StackOverflowError());
      assertThat(failures.handle(new StreamsException("x", failure))).isEqualTo(REPLACE_THREAD);
    }
    assertThat(givenUp).isEmpty();
  }

  @Test
  void endsTheClientWhereManyEventsFail() {
    FailedEvents events = new FailedEvents(clock);
    int replaced = 0;
    for (long offset = 0; replaced < 100 && givenUp.isEmpty(); ) {
      if (events.reasonToPassOver("people", 1, offset).isPresent()) {
        offset++;
      } else {
        failures.handle(events.of("people", 1, offset, new IllegalStateException("bug")));
        replaced++;
      }
    }

    assertThat(replaced)
        .isEqualTo(FailedEvents.PASSED_OVER * FailedEvents.TRIES + ThreadFailures.REPLACEMENTS + 1);
    assertThat(givenUp)
        .singleElement()
        .matches(failure -> failure.getMessage().contains("no matter of single events"));
  }

  @Test
  void doesNotReplaceAThreadWhenTheAppCloses() {
    stop.stop();

    assertThat(failures.handle(new TimeoutException("late"))).isEqualTo(SHUTDOWN_CLIENT);
    assertThat(givenUp).isEmpty();
  }
}
