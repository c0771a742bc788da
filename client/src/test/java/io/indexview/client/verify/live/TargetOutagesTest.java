package io.indexview.client.verify.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewVerification.Status;
import java.sql.SQLException;
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
  private long scanned;
  private long nanos = 7;

  /**
   * @param scanned rows up to its end
   * @param failure null: it comes to its end
   */
  private record Attempt(long scanned, RuntimeException failure) {}

  private void run() {
    TargetOutages.waitOut(
        () -> {
          Attempt attempt = attempts.size() > 1 ? attempts.remove() : attempts.element();
          scanned = attempt.scanned();
          if (attempt.failure() != null) {
            throw attempt.failure();
          }
        },
        () -> scanned,
        step -> {
          waits.add(step);
          nanos += MOMENT.toNanos();
        },
        () -> nanos);
  }

  @Test
  void goesOnWhenTheTargetAnswersAgain() {
    for (RuntimeException outage :
        List.of(
            OUTAGE,
            new ItemStoreException.Unavailable("throttled", null),
            new NotVerifiableException("gone", new SQLException("gone", "08006")))) {
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
  void failsAtOnceWhereWaitingDoesNotHelpOrNothingWasReadYet() {
    for (Attempt attempt :
        List.of(
            new Attempt(10, new KvStoreException.Misconfigured("no permission")),
            new Attempt(10, new ItemStoreException.Permanent("no permission", null)),
            new Attempt(10, new NotVerifiableException("no", new SQLException("no", "42501"))),
            new Attempt(10, new NotVerifiableException("no", new SQLException("no"))),
            new Attempt(10, new StoppedException(Optional.of(Status.CANCELLED), "cancelled")),
            new Attempt(0, OUTAGE))) {
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

    long most = TargetOutages.LONGEST.dividedBy(MOMENT);
    assertThat(waits.size()).isBetween((int) most, (int) most + 2);
  }

  @Test
  void isStoppedWhileItWaits() {
    StoppedException stop = new StoppedException(Optional.of(Status.CANCELLED), "cancelled");

    assertThatThrownBy(
            () ->
                TargetOutages.waitOut(
                    () -> {
                      throw OUTAGE;
                    },
                    () -> 1,
                    step -> {
                      throw stop;
                    },
                    () -> 0))
        .isSameAs(stop);
  }
}
