package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.streams.app.AppStatus.AppState;
import io.indexview.streams.health.RestoreProgress;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class AppStatusTest {
  private final ManualClock clock = new ManualClock();
  private final RestoreProgress restore = new RestoreProgress();
  private final AppStatus status = new AppStatus(clock, restore);

  private void pass(Duration time) {
    clock.pass(time);
  }

  @Test
  void isInNoTroubleDuringAShortRebalance() {
    status.become(AppState.REBALANCING);
    pass(Duration.ofMinutes(1));
    assertThat(status.trouble()).isEmpty();
  }

  @Test
  void saysForHowLongARebalanceLasts() {
    status.become(AppState.REBALANCING);
    pass(Duration.ofMinutes(1));
    status.become(AppState.REBALANCING);
    pass(Duration.ofSeconds(15));
    restore.onRestoreStart(new TopicPartition("changelog", 0), "store", 0, 500);
    assertThat(status.trouble())
        .contains("for 75 s now", "500 offsets of 1 changelog partitions are left");

    status.become(AppState.RUNNING);
    assertThat(status.trouble()).isEmpty();
    status.become(AppState.REBALANCING);
    assertThat(status.trouble()).isEmpty();
  }

  @Test
  void saysWhyItFailed() {
    status.fail(new IllegalStateException("no space left"));
    pass(Duration.ofHours(1));
    assertThat(status.trouble()).isEqualTo("no space left");
  }

  @Test
  void saysTheCauseOfAFailureOnce() {
    Exception full = new IllegalStateException("no space left");
    Exception write = new IllegalStateException("writing a block: no space left", full);
    status.fail(new IllegalStateException("opening store records", write));
    assertThat(status.trouble()).isEqualTo("opening store records: writing a block: no space left");
  }

  @Test
  void namesAFailureThatSaysNothing() {
    status.fail(new IllegalStateException("opening store records", new NullPointerException()));
    assertThat(status.trouble()).isEqualTo("opening store records: java.lang.NullPointerException");
  }
}
