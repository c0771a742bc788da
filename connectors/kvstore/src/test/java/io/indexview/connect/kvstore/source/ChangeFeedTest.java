package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChangeFeedTest {
  private static final Duration PAUSE = Duration.ofMillis(1);

  /**
   * @param pause after a failure
   */
  private static ChangeFeed feed(FakeChanges changes, Duration pause, ManualClock clock) {
    return new ChangeFeed(
        People.RECORD_SET.name(),
        () -> changes.open(People.RECORD_SET.keys(), Optional.empty()),
        true,
        new Backoff(pause, pause, () -> 0),
        clock,
        () -> {});
  }

  @Test
  void isOpeningUntilItsFirstBatchIsTaken() {
    FakeChanges changes = new FakeChanges(10);
    try (ChangeFeed feed = feed(changes, PAUSE, new ManualClock())) {
      assertThat(feed.isOpening()).isTrue();
      feed.step(Duration.ZERO);
      assertThat(feed.isOpening()).as("nobody knows of its gap").isTrue();
      assertThat(feed.take().hasGap()).isTrue();
      assertThat(feed.isOpening()).isFalse();
    }
  }

  /** A scan would wait for it. */
  @Test
  void isOpeningNoLongerWhenTheClockIsSetBack() {
    ManualClock clock = new ManualClock();
    try (ChangeFeed feed = feed(new FakeChanges(10), PAUSE, clock)) {
      clock.setBack(Duration.ofHours(1));
      clock.pass(Duration.ofSeconds(10));

      assertThat(feed.isOpening()).isFalse();
    }
  }

  @Test
  void gathersChangesThatFollowEachOther() {
    FakeChanges changes = new FakeChanges(10);
    try (ChangeFeed feed = feed(changes, PAUSE, new ManualClock())) {
      assertThat(feed.step(Duration.ZERO)).as("nothing came: the next wakes its poll").isZero();
      changes.changed(People.key(1));
      assertThat(feed.step(Duration.ZERO)).isPositive();
      assertThat(feed.step(Duration.ZERO)).isZero();
    }
  }

  /** A store whose shard has no master for a while; it names what changed as soon as it has one. */
  @Test
  void makesNoPauseAfterAFailureThatTheStoreHasWaitedFor() {
    Duration pause = Duration.ofMinutes(1);
    FakeChanges changes = new FakeChanges(10);
    try (ChangeFeed feed = feed(changes, pause, new ManualClock())) {
      feed.step(Duration.ZERO);
      changes.setAvailable(false);
      assertThat(feed.step(Duration.ofHours(1))).as("of one that fails at once").isPositive();

      changes.setWaiting(true);
      assertThat(feed.step(Duration.ofMillis(10))).isZero();
      assertThat(feed.problem()).isNotEmpty();
      assertThat(feed.step(Duration.ZERO)).as("of one that was not to wait").isPositive();
    }
  }

  @Test
  void isNotRecoveredByChangesOfOtherShards() {
    ManualClock clock = new ManualClock();
    FakeChanges changes = new FakeChanges(10);
    changes.setOthersNamed(true);
    try (ChangeFeed feed = feed(changes, PAUSE, clock)) {
      feed.step(Duration.ZERO);
      clock.pass(Duration.ofSeconds(1));
      changes.setAvailable(false);
      feed.step(Duration.ZERO);
      assertThat(feed.problem()).isNotEmpty();
      feed.take();

      changes.changed(People.key(1));
      feed.step(Duration.ZERO);
      assertThat(feed.take().batch().keys()).containsExactly(People.key(1));
      assertThat(feed.problem()).isNotEmpty();

      clock.setBack(Duration.ofHours(1));
      changes.setAvailable(true);
      changes.changed(People.key(2));
      feed.step(Duration.ZERO);
      assertThat(feed.problem()).isEmpty();
    }
  }

  @Test
  void saysOnceThatScansFindChangesWhenAnOutageLasts() {
    ManualClock clock = new ManualClock();
    FakeChanges changes = new FakeChanges(10);
    List<String> said;
    try (LogLines log = LogLines.of(ChangeFeed.class);
        ChangeFeed feed = feed(changes, PAUSE, clock)) {
      for (Duration outage : List.of(Duration.ofSeconds(10), Duration.ofSeconds(40))) {
        changes.setAvailable(false);
        for (Duration passed = Duration.ZERO;
            passed.compareTo(outage) <= 0;
            passed = passed.plusSeconds(1)) {
          feed.step(Duration.ZERO);
          assertThat(feed.problem()).isNotEmpty();
          clock.pass(Duration.ofSeconds(1));
        }
        changes.setAvailable(true);
        feed.step(Duration.ZERO);
        assertThat(feed.problem()).isEmpty();
      }
      said = log.get();
    }
    assertThat(said)
        .containsExactly(
            "Changes of the store are not followed, scans find them: recordSet=people cause=no changes now",
            "Changes of the store are followed again: recordSet=people");
  }

  /** As of a class of the server's jars that is missing, which shows when it is first used. */
  @Test
  void saysWhatEndedItWhateverThatIs() throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(1);
    try (ChangeFeed feed =
        new ChangeFeed(
            People.RECORD_SET.name(),
            () -> {
              throw new NoClassDefFoundError("oracle/kv/impl/Missing");
            },
            true,
            new Backoff(PAUSE, PAUSE, () -> 0),
            Time.SYSTEM,
            woken::countDown)) {
      feed.start();
      assertThat(woken.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(feed.problem()).contains("oracle/kv/impl/Missing");
      assertThat(feed.isUnsupported()).isTrue();
      assertThat(feed.isOpening()).isFalse();
    }
  }
}
