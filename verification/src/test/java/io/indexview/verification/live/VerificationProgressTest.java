package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerificationProgressTest {
  private static final String LINE =
      "Verification v1 of view people cannot be reported now, and fails after PT2M of that";

  private final ViewVerification asked =
      new ViewVerification(
          "people", "v1", Status.REQUESTED, VerificationOptions.DEFAULT, 1, Run.NONE);

  private final ManualClock clock = new ManualClock();
  private boolean isDown;
  private boolean isClosed;
  private int serving = 3;
  private int stops;

  /** What others see. */
  private Optional<ViewVerification> seen = Optional.empty();

  private final VerificationProgress progress = progress("worker");

  private VerificationProgress progress(String worker) {
    return new VerificationProgress(
        asked, worker, this::known, this::write, this::servingGeneration, pause -> isClosed, clock);
  }

  private List<ViewVerification> known() {
    answer();
    return seen.stream().toList();
  }

  private void write(ViewVerification verification) {
    answer();
    seen = Optional.of(verification);
  }

  private void answer() {
    if (isDown) {
      throw new TimeoutException("no broker");
    }
  }

  private int servingGeneration() {
    if (serving == 0) {
      throw new NotVerifiableException("no generation serves");
    }
    return serving;
  }

  @BeforeEach
  void begin() {
    progress.write(Status.RUNNING);
    progress.begin(serving);
  }

  private void at(String step) {
    progress.at(step, Counts.NONE);
  }

  private String reported() {
    return seen.orElseThrow().run().step();
  }

  @Test
  void reportsEachStepAtOnceAndEachNowAndThen() {
    at("reads");
    assertThat(reported()).isEqualTo("reads");

    seen = Optional.of(seen.orElseThrow().with(Status.RUNNING, progressOfOthers("worker")));
    clock.pass(Duration.ofSeconds(1));
    at("reads");
    assertThat(reported()).as("too early").isEqualTo("of others");
    clock.pass(Duration.ofSeconds(2));
    at("reads");
    assertThat(reported()).isEqualTo("reads");
  }

  private static Run progressOfOthers(String worker) {
    return new Run(
        worker, 1, 2, 0, 3, 0, "of others", Counts.NONE, List.of(), List.of(), List.of());
  }

  @Test
  void saysOncePerOutageThatItCannotBeReported() {
    try (LogLines log = LogLines.of(VerificationProgress.class)) {
      for (int outage = 1; outage <= 2; outage++) {
        isDown = true;
        at("one");
        at("two");
        at("three");
        assertThat(log.get()).hasSize(outage).containsOnly(LINE);
        isDown = false;
        at("four");
      }
      assertThat(log.get()).hasSize(2);
    }
    assertThat(reported()).isEqualTo("four");
  }

  @Test
  void failsWhenAnOutageLasts() {
    isDown = true;
    clock.pass(VerificationProgress.MAX_OUTAGE);
    at("one");
    clock.pass(Duration.ofNanos(1));

    assertThatThrownBy(() -> at("two")).isInstanceOf(TimeoutException.class);
  }

  @Test
  void stopsWhenSomebodyElseSaysSo() {
    seen = Optional.of(asked.with(Status.CANCELLED, Run.NONE));
    assertStopped(Optional.of(Status.CANCELLED), "cancelled");

    seen = Optional.of(asked.with(Status.RUNNING, progressOfOthers("another")));
    assertStopped(Optional.empty(), "another worker has it");

    seen = Optional.empty();
    assertStopped(Optional.empty(), "it was forgotten");
  }

  @Test
  void stopsWithItsWorkerAndWithTheGenerationWhoseRowsItReads() {
    serving = 4;
    assertStopped(
        Optional.of(Status.FAILED),
        "generation 4 serves now, no longer generation 3; ask for another verification");
    serving = 0;
    assertStopped(Optional.of(Status.FAILED), "no generation serves; ask for another verification");

    isClosed = true;
    assertStopped(Optional.of(Status.REQUESTED), "the server that ran it was stopped");
    assertThatExceptionOfType(StoppedException.class)
        .isThrownBy(() -> progress.pause(Duration.ofHours(1)));
  }

  @Test
  void tellsWhatIsOverAlthoughItsWorkerStopsUnlessNobodyWantsIt() {
    isClosed = true;
    progress.requireWanted();

    seen = Optional.of(asked.with(Status.CANCELLED, Run.NONE));
    assertThatExceptionOfType(StoppedException.class).isThrownBy(progress::requireWanted);
    seen = Optional.of(asked.with(Status.RUNNING, progressOfOthers("another")));
    assertThatExceptionOfType(StoppedException.class).isThrownBy(progress::requireWanted);
  }

  private void assertStopped(Optional<Status> status, String reason) {
    stops++;
    assertThatExceptionOfType(StoppedException.class)
        .isThrownBy(() -> at("stop " + stops))
        .withMessage(reason)
        .satisfies(stopped -> assertThat(stopped.status()).isEqualTo(status));
  }

  @Test
  void leavesItToTheNextWorkerWithWhatItReadIfThatIsKept() {
    progress.end(Status.REQUESTED, "stopped");
    assertThat(seen.orElseThrow().run()).isEqualTo(Run.NONE);

    progress.write(Status.RUNNING);
    progress.keep(true);
    progress.end(Status.REQUESTED, "stopped");
    assertThat(seen.orElseThrow().run().worker()).isEqualTo("worker");
    assertThat(seen.orElseThrow().status()).isEqualTo(Status.REQUESTED);
  }

  @Test
  void endsNothingOfAnotherWorker() {
    progress("another").end(Status.DONE, "");

    assertThat(seen.orElseThrow().status()).isEqualTo(Status.RUNNING);
  }
}
