package io.indexview.connect.common.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryTimerTest {
  private final ManualClock clock = new ManualClock();
  private final RetryTimer retry =
      new RetryTimer(
          new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_000), () -> 0.999), clock);

  @Test
  void isDueUntilItFailsAndAfterTheBackoff() {
    assertThat(retry.isDue()).isTrue();
    retry.failed();

    clock.pass(Duration.ofMillis(98));
    assertThat(retry.isDue()).isFalse();
    clock.pass(Duration.ofMillis(1));
    assertThat(retry.isDue()).isTrue();
  }

  @Test
  void tellsTheFirstFailureSinceItWorked() {
    assertThat(retry.failed()).isTrue();
    clock.pass(Duration.ofSeconds(1));
    assertThat(retry.failed()).isFalse();
    assertThat(retry.failures()).isEqualTo(2);
    retry.succeeded();

    assertThat(retry.failures()).isZero();
    clock.pass(Duration.ofSeconds(1));
    assertThat(retry.failed()).isTrue();
  }

  @Test
  void tellsForHowLongItHasOnlyFailed() {
    Duration time = Duration.ofSeconds(10);
    assertThat(retry.hasFailedFor(time)).isFalse();
    retry.failed();
    clock.pass(Duration.ofSeconds(9));
    retry.failed();

    assertThat(retry.hasFailedFor(time)).isFalse();
    clock.pass(Duration.ofSeconds(1));
    assertThat(retry.hasFailedFor(time)).isTrue();
    retry.succeeded();
    assertThat(retry.hasFailedFor(time)).isFalse();
    clock.pass(Duration.ofSeconds(1));
    retry.failed();
    clock.pass(Duration.ofSeconds(1));
    assertThat(retry.hasFailedFor(time)).isFalse();
  }

  /** Of requests that were sent before the failure that is waited out. */
  @Test
  void countsNoFailureBeforeTheNextAttemptIsDue() {
    retry.failed();
    clock.pass(Duration.ofMillis(50));
    assertThat(retry.failed()).isFalse();

    assertThat(retry.failures()).isEqualTo(1);
    clock.pass(Duration.ofMillis(49));
    assertThat(retry.isDue()).isTrue();
  }

  @Test
  void waitsOnWhenARequestThatWasSentBeforeSucceeds() {
    retry.failed();
    retry.succeeded();
    clock.pass(Duration.ofMillis(50));
    assertThat(retry.isDue()).isFalse();

    retry.setDueIn(Duration.ZERO);
    assertThat(retry.isDue()).isTrue();
  }

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    retry.failed();
    clock.setBack(Duration.ofHours(1));
    clock.pass(Duration.ofMillis(99));

    assertThat(retry.isDue()).isTrue();
    assertThat(retry.hasFailedFor(Duration.ofMillis(99))).isTrue();
  }
}
