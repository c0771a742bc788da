package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import java.time.Duration;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What waited before somebody set the wall clock back waits no longer for that. */
class ClockSetBackTest extends ChangeCaptureScenario {
  private static final Duration STEP = Duration.ofHours(1);

  @BeforeEach
  void start() {
    harness.scan();
    eventsOf(SourceHarness.HEARTBEAT.multipliedBy(2));
  }

  private long scans() {
    return harness.lastScan().getInt64("number");
  }

  private Struct feed() {
    return harness.lastState().getStruct("changeFeed");
  }

  /** As of the time that the clock shows now. */
  private void assertBeats() {
    long now = harness.now();
    assertThat(harness.lastState().getInt64("heartbeatAt"))
        .isBetween(now - SourceHarness.HEARTBEAT.toMillis(), now);
  }

  @Test
  void readsWhatChangesNamed() {
    harness.put(1, "Ada");
    harness.poll();

    harness.clock.setBack(STEP);

    assertThat(ops(eventsOf(SourceHarness.DELAY.plusMillis(5)))).containsExactly("c 1");
  }

  @Test
  void sendsHeartbeatsAfterClockWasSetBack() {
    harness.clock.setBack(STEP);
    eventsOf(SourceHarness.HEARTBEAT.multipliedBy(2));

    assertBeats();
  }

  @Test
  void triesAgainAfterAnOutage() {
    harness.setStoreAvailable(false);
    harness.put(1, "Ada");
    eventsOf(Duration.ofSeconds(2));

    harness.clock.setBack(STEP);
    harness.setStoreAvailable(true);

    assertThat(ops(eventsOf(SourceHarness.HEARTBEAT.multipliedBy(3)))).containsExactly("c 1");
    assertThat(scans()).as("the changes show that it is over").isEqualTo(1);
    assertBeats();
  }

  @Test
  void provesNothingThatIsToCome() {
    assertThat(feed().getInt64("provenUntil")).isPositive();
    harness.changes.setAvailable(false);
    harness.clock.setBack(STEP);
    eventsOf(SourceHarness.HEARTBEAT.multipliedBy(2));
    assertThat(feed().getInt64("provenUntil")).isNull();

    harness.changes.setAvailable(true);
    long before = harness.now();
    eventsOf(SourceHarness.HEARTBEAT.multipliedBy(2));

    assertThat(feed().getInt64("provenUntil")).isBetween(before, harness.now());
  }

  /** Nobody knows for how long the last one stands. */
  @Test
  void scansOnceThoughTheLastScanIsToCome() {
    harness.clock.setBack(STEP);
    eventsOf(SourceHarness.MAX_INTERVAL);
    assertThat(scans()).isEqualTo(2);
    assertThat(harness.lastScan().getInt64("endedAt")).isLessThanOrEqualTo(harness.now());

    eventsOf(SourceHarness.MAX_INTERVAL.multipliedBy(2));

    assertThat(scans()).isEqualTo(2);
  }

  @Test
  void scansWithoutChangesThatAreFollowed() {
    harness.setMode(CaptureMode.SCAN);
    harness.restart();
    eventsOf(SourceHarness.INTERVAL);
    harness.put(1, "Ada");

    harness.clock.setBack(STEP);

    assertThat(ops(eventsOf(SourceHarness.MAX_INTERVAL))).containsExactly("c 1");
  }

  @Test
  void scansOnceForARequestThoughTheLastScanIsToCome() {
    harness.clock.setBack(STEP);
    harness.requests.askForScan(7, harness.now());
    eventsOf(Duration.ofSeconds(2));
    assertThat(harness.lastState().getStruct("scanRequests").getInt64("answered")).isEqualTo(7);

    assertThat(scans()).isEqualTo(2);
  }
}
