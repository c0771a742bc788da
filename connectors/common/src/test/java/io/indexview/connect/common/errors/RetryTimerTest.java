package io.indexview.connect.common.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryTimerTest {
  private static final Instant NOW = Instant.EPOCH;

  private final RetryTimer retry =
      new RetryTimer(new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_000), () -> 0.999));

  @Test
  void isDueUntilItFailsAndAfterTheBackoff() {
    assertThat(retry.isDue(Instant.MIN)).isTrue();
    retry.failed(NOW);

    assertThat(retry.isDue(NOW.plusMillis(98))).isFalse();
    assertThat(retry.isDue(NOW.plusMillis(99))).isTrue();
  }

  @Test
  void tellsTheFirstFailureSinceItWorked() {
    assertThat(retry.failed(NOW)).isTrue();
    assertThat(retry.failed(NOW.plusSeconds(1))).isFalse();
    assertThat(retry.failures()).isEqualTo(2);
    retry.succeeded();

    assertThat(retry.failures()).isZero();
    assertThat(retry.failed(NOW.plusSeconds(2))).isTrue();
  }

  @Test
  void tellsForHowLongItHasOnlyFailed() {
    Duration time = Duration.ofSeconds(10);
    assertThat(retry.hasFailedFor(time, NOW)).isFalse();
    retry.failed(NOW);
    retry.failed(NOW.plusSeconds(9));

    assertThat(retry.hasFailedFor(time, NOW.plusSeconds(9))).isFalse();
    assertThat(retry.hasFailedFor(time, NOW.plusSeconds(10))).isTrue();
    retry.succeeded();
    assertThat(retry.hasFailedFor(time, NOW.plusSeconds(10))).isFalse();
    retry.failed(NOW.plusSeconds(11));
    assertThat(retry.hasFailedFor(time, NOW.plusSeconds(12))).isFalse();
  }

  /** Of requests that were sent before the failure that is waited out. */
  @Test
  void countsNoFailureBeforeTheNextAttemptIsDue() {
    retry.failed(NOW);
    assertThat(retry.failed(NOW.plusMillis(50))).isFalse();

    assertThat(retry.failures()).isEqualTo(1);
    assertThat(retry.isDue(NOW.plusMillis(99))).isTrue();
  }

  @Test
  void waitsOnWhenARequestThatWasSentBeforeSucceeds() {
    retry.failed(NOW);
    retry.succeeded();
    assertThat(retry.isDue(NOW.plusMillis(50))).isFalse();

    retry.setDue(Instant.MIN);
    assertThat(retry.isDue(NOW.plusMillis(50))).isTrue();
  }
}
