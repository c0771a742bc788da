package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.derive.TaskLocation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegistryRetryTest {
  private final ManualClock clock = new ManualClock();
  private final RegistryRetry retry =
      new RegistryRetry(
          new TaskLocation("people", "people", RecordFormat.ENVELOPE, 3), "report", clock);

  private int attempts;

  private void attempt() {
    attempts++;
  }

  private void fail() {
    fail(new RegistryException.Unavailable("no answer", null));
  }

  private void fail(RegistryException e) {
    attempts++;
    throw e;
  }

  @Test
  void triesAgainAfterAPause() {
    assertThat(retry.attempt(this::fail)).isFalse();
    clock.pass(RegistryRetry.PAUSE.minusNanos(1));
    assertThat(retry.isDue()).isFalse();
    assertThat(retry.attempt(this::attempt)).isFalse();
    assertThat(attempts).isEqualTo(1);

    clock.pass(Duration.ofNanos(1));
    assertThat(retry.isDue()).isTrue();
    assertThat(retry.attempt(this::attempt)).isTrue();
    assertThat(retry.attempt(this::attempt)).isTrue();
    assertThat(attempts).isEqualTo(3);
  }

  @Test
  void saysOncePerOutageThatItWaitsAndThatItGoesOn() {
    try (LogLines log = LogLines.of(RegistryRetry.class)) {
      for (int outage = 0; outage < 2; outage++) {
        for (int failure = 0; failure < 3; failure++) {
          retry.attempt(this::fail);
          clock.pass(RegistryRetry.PAUSE);
        }
        retry.attempt(this::attempt);
        retry.attempt(this::attempt);
      }

      String waits =
          "Record set people, partition 3: waits for the schema registry to report: no answer; see to it that it runs at schema.registry.url and has its schemas";
      String goesOn =
          "Record set people, partition 3: can report again, the schema registry answers";
      assertThat(log.get()).containsExactly(waits, goesOn, waits, goesOn);
    }
  }

  @Test
  void saysWhenItWaitsForAnotherReason() {
    List<RegistryException> failures =
        List.of(
            new RegistryException.Unavailable("no answer", null),
            new RegistryException.Unavailable("no answer", null),
            new RegistryException("who are you?", null),
            new RegistryException("who are you?", null),
            new RegistryException.NotFound("no schema 7"));
    try (LogLines log = LogLines.warnings(RegistryRetry.class)) {
      for (RegistryException failure : failures) {
        retry.attempt(() -> fail(failure));
        clock.pass(RegistryRetry.PAUSE);
      }

      assertThat(log.get()).hasSize(3);
      assertThat(log.get().get(0)).contains("to report: no answer; see to it");
      assertThat(log.get().get(1)).contains("to report: who are you?; see to it");
      assertThat(log.get().get(2)).contains("to report: no schema 7; see to it");
    }
  }

  @Test
  void letsOtherFailuresPass() {
    IllegalStateException bug = new IllegalStateException("a bug");

    assertThatThrownBy(
            () ->
                retry.attempt(
                    () -> {
                      throw bug;
                    }))
        .isSameAs(bug);
  }
}
