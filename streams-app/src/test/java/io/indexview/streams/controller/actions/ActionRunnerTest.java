package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class ActionRunnerTest {
  private static final Action A = new Action.DeleteTopic("a", 1, "topic-a", 5);
  private static final Action B = new Action.DeleteTopic("b", 1, "topic-b", 5);

  private final Map<Action, FakeJob> jobs = new HashMap<>();
  private final List<Action> begun = new ArrayList<>();
  private final List<Activity> standing = new ArrayList<>();
  private Instant now = Instant.ofEpochMilli(0);
  private final List<Finding> found = new ArrayList<>();
  private ActionRunner runner;
  private int rounds;

  private final class FakeJob implements Activity {
    private Activity.Progress next = Activity.waiting("");
    private RuntimeException failure;
    private List<Finding> tells = List.of();
    private int scans;
    private Duration takes = Duration.ZERO;

    @Override
    public Progress advance(Consumer<Finding> findings) {
      scans++;
      now = now.plus(takes);
      tells.forEach(findings);
      tells = List.of();
      if (failure != null) {
        throw failure;
      }
      return next;
    }
  }

  private final ActionRunner.Factory factory =
      new ActionRunner.Factory() {
        @Override
        public void beginRound() {
          rounds++;
        }

        @Override
        public Activity begin(Action work) {
          begun.add(work);
          return jobs.get(work);
        }

        @Override
        public void keep(Collection<Action> wanted) {
          jobs.keySet().retainAll(List.of(A, B));
        }
      };

  private Duration round(Action... wanted) {
    if (runner == null) {
      runner = new ActionRunner(factory, () -> now, standing);
    }
    Map<String, Action> byId = new LinkedHashMap<>();
    for (Action action : wanted) {
      byId.put(action.id(), action);
    }
    return runner.run(byId, found);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private FakeJob job(Action work) {
    return jobs.computeIfAbsent(work, w -> new FakeJob());
  }

  @Test
  void looksAtEachWorkUntilItIsDone() {
    job(A);
    job(B).next = Activity.answered(Finding.Done.of(B));

    round(A, B);
    pass(Activity.SOON);
    round(A, B);

    assertThat(job(A).scans).isEqualTo(2);
    assertThat(job(B).scans).isEqualTo(1);
    assertThat(found).containsExactly(Finding.Done.of(B));
  }

  @Test
  void doesNotLookAgainBeforeItIsTime() {
    job(A);

    assertThat(round(A)).isEqualTo(Activity.SOON);
    pass(Activity.SOON.minusMillis(1));
    assertThat(round(A)).isEqualTo(Duration.ofMillis(1));

    assertThat(job(A).scans).isEqualTo(1);
  }

  @Test
  void makesNoPauseAsLongAsTheStepOfAClockThatIsSetBack() {
    job(A);
    round(A);

    pass(Duration.ofHours(-1));
    round(A);
    assertThat(job(A).scans).isEqualTo(2);
    assertThat(round(A)).isEqualTo(Activity.SOON);
  }

  @Test
  void looksAtWhatIsDueSoonWithWhatIsDue() {
    job(A);
    job(B);
    Duration soon = Activity.SOON.dividedBy(2);
    round(A);
    pass(soon.minusMillis(1));
    round(A, B);
    pass(soon.plusMillis(1));
    round(A, B);
    assertThat(rounds).isEqualTo(3);

    pass(Activity.SOON.minusMillis(1));
    round(A, B);
    assertThat(rounds).as("nothing is due").isEqualTo(3);
    pass(Duration.ofMillis(1));
    round(A, B);
    assertThat(rounds).isEqualTo(4);
    assertThat(job(A).scans).isEqualTo(3);
    assertThat(job(B).scans).isEqualTo(3);
  }

  @Test
  void goesOnWithAWorkThatIsStillWantedAndGivesUpOneThatIsNot() {
    job(A);
    job(B);
    round(A, B);
    pass(Activity.SOON);
    round(A);
    pass(Activity.SOON);
    round(A, B);

    assertThat(begun).containsExactly(A, B, B);
    assertThat(job(A).scans).isEqualTo(3);
  }

  @Test
  void doesAnAnsweredWorkAgainOnlyIfItWasNotWantedInBetween() {
    job(A).next = Activity.answered(Finding.Done.of(A));
    round(A);
    round(A);
    assertThat(begun).hasSize(1);

    round();
    round(A);
    assertThat(begun).hasSize(2);
  }

  @Test
  void letsNoWorkHoldUpAnother() {
    job(A).failure = new TimeoutException("no broker");
    job(B).next = Activity.answered(Finding.Done.of(B));

    round(A, B);

    assertThat(found).containsExactly(Finding.Done.of(B));
  }

  @Test
  void saysOncePerOutageThatAWorkFailsAndThatItGoesOn() {
    String id = A.id();
    try (LogLines log = LogLines.of(ActionRunner.class)) {
      for (int outage = 0; outage < 2; outage++) {
        job(A).failure = new TimeoutException("no broker");
        pass(round(A));
        pass(round(A));
        pass(round(A));
        job(A).failure = null;
        pass(round(A));
        pass(round(A));
      }

      String waiting = id + " is tried again; it waits for the brokers: no broker";
      String goingOn = id + " goes on after 3 failures";
      assertThat(log.get()).containsExactly(waiting, goingOn, waiting, goingOn);
    }
  }

  @Test
  void triesAFailedWorkAgainMoreAndMoreSlowly() {
    job(A).failure = new TimeoutException("no broker");
    Duration first = round(A);
    pass(first);
    Duration second = round(A);
    pass(second);
    job(A).failure = null;
    job(A).next = Activity.answered(Finding.Done.of(A));
    round(A);

    assertThat(second).isGreaterThan(first);
    assertThat(found).containsExactly(Finding.Done.of(A));
  }

  @Test
  void tellsALongWaitAndItsEnd() {
    job(A).next = Activity.waiting("the sink");
    round(A);
    pass(ActionRunner.LONG_WAIT);
    round(A);
    assertThat(found).isEmpty();
    pass(Duration.ofMillis(200));
    round(A);
    pass(Duration.ofMillis(200));
    round(A);
    assertThat(found).containsExactly(Finding.Waiting.of(A, "the sink"));

    job(A).next = Activity.answered(Finding.Done.of(A));
    pass(Duration.ofMillis(200));
    round(A);
    assertThat(found)
        .containsExactly(
            Finding.Waiting.of(A, "the sink"), Finding.Waiting.of(A, ""), Finding.Done.of(A));
  }

  @Test
  void tellsThatARightIsMissing() {
    job(A).failure =
        new GroupAuthorizationException("group connect-sink is not for you", "connect-sink");
    round(A);
    pass(Duration.ofMinutes(1));
    round(A);

    assertThat(found)
        .containsExactly(
            Finding.Waiting.of(
                A,
                "a right in Kafka that the application's user lacks: group connect-sink is not for you"));
  }

  @Test
  void tellsResultsInTheirOrderTheAnswerLast() {
    Finding expected = new Finding.ChangesMissed("a", 1, "late");
    job(A).tells = List.of(expected);
    job(A).next = Activity.answered(Finding.Done.of(A));

    round(A);

    assertThat(found).containsExactly(expected, Finding.Done.of(A));
  }

  @Test
  void endsARoundInWhichCallsHangWithWhatIsFoundSoFar() {
    job(A).next = Activity.answered(Finding.Done.of(A));
    job(A).takes = Duration.ofSeconds(6);
    job(B).next = Activity.answered(Finding.Done.of(B));

    assertThat(round(A, B)).isZero();
    assertThat(found).containsExactly(Finding.Done.of(A));
    round(A, B);
    assertThat(found).containsExactly(Finding.Done.of(A), Finding.Done.of(B));
  }

  @Test
  void keepsWhatWasFoundBeforeAFailure() {
    Finding expected = new Finding.ChangesMissed("a", 1, "late");
    job(A).tells = List.of(expected);
    job(A).failure = new TimeoutException("no broker");

    round(A);

    assertThat(found).containsExactly(expected);
  }

  @Test
  void advancesWatchesAlthoughNothingIsWanted() {
    FakeJob watch = new FakeJob();
    standing.add(watch);
    Finding expected = new Finding.RecordSetBroken("people", 1, "trimmed");
    watch.tells = List.of(expected);

    round();

    assertThat(found).containsExactly(expected);
  }
}
