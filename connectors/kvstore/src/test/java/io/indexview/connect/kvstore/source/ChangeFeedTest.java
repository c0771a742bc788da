package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChangeFeedTest {
  @Test
  void isOpeningUntilItsFirstBatchIsTaken() {
    FakeChanges changes = new FakeChanges(10);
    try (ChangeFeed feed =
        new ChangeFeed(
            People.RECORD_SET.name(),
            () -> changes.open(People.RECORD_SET.keys(), Optional.empty()),
            true,
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0),
            Clock.systemUTC(),
            () -> {})) {
      assertThat(feed.isOpening()).isTrue();
      feed.step(Duration.ZERO);
      assertThat(feed.isOpening()).as("nobody knows of its gap").isTrue();
      assertThat(feed.take().hasGap()).isTrue();
      assertThat(feed.isOpening()).isFalse();
    }
  }

  /** A store whose shard has no master for a while; it names what changed as soon as it has one. */
  @Test
  void makesNoPauseAfterAFailureThatTheStoreHasWaitedFor() {
    Duration pause = Duration.ofMinutes(1);
    FakeChanges changes = new FakeChanges(10);
    try (ChangeFeed feed =
        new ChangeFeed(
            People.RECORD_SET.name(),
            () -> changes.open(People.RECORD_SET.keys(), Optional.empty()),
            true,
            new Backoff(pause, pause, () -> 0),
            Clock.systemUTC(),
            () -> {})) {
      feed.step(Duration.ZERO);
      changes.setAvailable(false);
      assertThat(feed.step(Duration.ofMillis(10))).as("of one that fails at once").isPositive();

      changes.setWaiting(true);
      assertThat(feed.step(Duration.ofMillis(10))).isZero();
      assertThat(feed.problem()).isNotEmpty();
      assertThat(feed.step(Duration.ZERO)).as("of one that was not to wait").isPositive();
    }
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
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0),
            Clock.systemUTC(),
            woken::countDown)) {
      feed.start();
      assertThat(woken.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(feed.problem()).contains("oracle/kv/impl/Missing");
      assertThat(feed.isUnsupported()).isTrue();
      assertThat(feed.isOpening()).isFalse();
    }
  }
}
