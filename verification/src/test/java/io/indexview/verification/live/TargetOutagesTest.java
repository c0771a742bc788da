package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TargetOutagesTest {
  private static final RuntimeException OUTAGE = new KvStoreException.Unavailable("no quorum");
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final List<String> waits = new ArrayList<>();
  private final Deque<Attempt> attempts = new ArrayDeque<>();
  private Counts counts;
  private final ManualClock clock = new ManualClock();

  /**
   * @param counts at its end
   * @param lasts until its end
   * @param failure null: it comes to its end
   */
  private record Attempt(Counts counts, Duration lasts, RuntimeException failure) {
    Attempt(long scanned, RuntimeException failure) {
      this(TargetOutagesTest.counts(scanned, 0), Duration.ZERO, failure);
    }
  }

  private static Counts counts(long scanned, long right) {
    return new Counts(scanned, right, 0, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 0);
  }

  private void run() {
    new TargetOutages(
            "a test",
            step -> {
              waits.add(step);
              clock.pass(MOMENT);
            },
            clock)
        .waitOut(
            () -> {
              Attempt attempt = attempts.size() > 1 ? attempts.remove() : attempts.element();
              counts = attempt.counts();
              clock.pass(attempt.lasts());
              if (attempt.failure() != null) {
                throw attempt.failure();
              }
            },
            () -> counts);
  }

  private static RuntimeException sql(String state) {
    return new NotVerifiableException("no", new SQLException("no", state));
  }

  @Test
  void goesOnWhenTheTargetAnswersAgain() {
    for (RuntimeException outage :
        List.of(
            OUTAGE,
            new ItemStoreException.Unavailable("throttled", null),
            sql("08006"),
            // PostgreSQL is shut down, has crashed, starts, has no connection left.
            sql("57P01"),
            sql("57P02"),
            sql("57P03"),
            sql("53300"),
            new NotVerifiableException(
                "a replica", new SQLTransientConnectionException("a replica")))) {
      waits.clear();
      attempts.clear();
      attempts.add(new Attempt(10, outage));
      attempts.add(new Attempt(10, outage));
      attempts.add(new Attempt(20, null));

      run();

      assertThat(waits)
          .hasSize(2)
          .allMatch(step -> step.endsWith("does not answer: " + outage.getMessage()));
    }
  }

  @Test
  void saysOncePerOutageThatItWaitsAndThatItGoesOn() {
    TargetOutages outages = new TargetOutages("a test", step -> {}, clock);
    int[] attempt = {0};
    try (LogLines log = LogLines.of(TargetOutages.class)) {
      outages.waitOut(
          () -> {
            attempt[0]++;
            if (attempt[0] % 3 == 0) {
              outages.answered();
              outages.answered();
            }
            if (attempt[0] < 6) {
              throw OUTAGE;
            }
          },
          () -> counts(10, 0));

      String waiting = "a test waits for the target, which does not answer: no quorum";
      String goingOn = "a test goes on: its target answers again";
      assertThat(log.get()).containsExactly(waiting, goingOn, waiting, goingOn);
    }
  }

  @Test
  void failsAtOnceWhereWaitingDoesNotHelpOrNothingWasReadYet() {
    for (Attempt attempt :
        List.of(
            new Attempt(10, new KvStoreException.Misconfigured("no permission")),
            new Attempt(10, new ItemStoreException.Permanent("no permission", null)),
            new Attempt(10, sql("42501")),
            // Somebody ended the query, the disk is full.
            new Attempt(10, sql("57014")),
            new Attempt(10, sql("53100")),
            new Attempt(10, new NotVerifiableException("no", new SQLException("no"))),
            new Attempt(10, new StoppedException(Optional.of(Status.CANCELLED), "cancelled")),
            new Attempt(0, OUTAGE),
            new Attempt(0, sql("57P03")))) {
      attempts.clear();
      attempts.add(attempt);

      assertThatThrownBy(this::run).isSameAs(attempt.failure());
    }
    assertThat(waits).isEmpty();
  }

  /** It may fail at the same place for ever, though it reads some rows again each time. */
  @Test
  void failsWhenItComesNoFurther() {
    attempts.add(new Attempt(10, OUTAGE));
    attempts.add(new Attempt(20, OUTAGE));
    attempts.add(new Attempt(15, OUTAGE));

    assertThatThrownBy(this::run).isSameAs(OUTAGE);

    long most = TargetOutages.MAX_OUTAGE.dividedBy(MOMENT);
    assertThat(waits.size()).isBetween((int) most, (int) most + 2);
  }

  @Test
  void waitsOutEachOutageOfARunThatComparesForLongBetweenThem() {
    for (long right : List.of(0L, 5L, 6L)) {
      attempts.add(new Attempt(counts(10, right), TargetOutages.MAX_OUTAGE.minus(MOMENT), OUTAGE));
      attempts.add(new Attempt(counts(10, right), Duration.ZERO, OUTAGE));
    }
    attempts.add(new Attempt(20, null));

    run();

    assertThat(waits).hasSize(6);
  }

  /** Rows that are read once more are in no count until they are compared. */
  @Test
  void waitsOutTheNextOutageOfARunThatReadRowsOnceMoreForLong() {
    attempts.add(new Attempt(10, OUTAGE));
    for (int outage = 0; outage < 3; outage++) {
      attempts.add(new Attempt(counts(10, 0), TargetOutages.MAX_OUTAGE.plus(MOMENT), OUTAGE));
    }
    attempts.add(new Attempt(10, null));

    run();

    assertThat(waits).hasSize(4);
  }

  @Test
  void isStoppedWhileItWaits() {
    StoppedException stop = new StoppedException(Optional.of(Status.CANCELLED), "cancelled");

    assertThatThrownBy(
            () ->
                new TargetOutages(
                        "a test",
                        step -> {
                          throw stop;
                        },
                        clock)
                    .waitOut(
                        () -> {
                          throw OUTAGE;
                        },
                        () -> counts(1, 0)))
        .isSameAs(stop);
  }
}
