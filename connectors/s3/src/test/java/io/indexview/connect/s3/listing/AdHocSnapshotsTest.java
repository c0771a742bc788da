package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdHocSnapshotsTest {
  private static final Duration KNOWN_BY_ALL = Duration.ofSeconds(5);

  private final ManualClock clock = new ManualClock();
  private final Map<String, SourceState> states = new HashMap<>();
  private long requested;
  private final AdHocSnapshots snapshots =
      new AdHocSnapshots(
          "files", "changes", Set.of("a", "b"), topic -> requested, () -> states, clock);

  private void answers(String bucket, long request) {
    SourceState.Scan scan =
        new SourceState.Scan(
            2, 1, clock.millis(), 3, true, request, Optional.empty(), Map.of(), Map.of());
    states.put(
        SourceState.key("files", "changes", bucket),
        new SourceState(
            "files",
            "changes",
            Optional.of("id"),
            bucket,
            2,
            Optional.of(scan),
            Optional.of(scan),
            clock.millis()));
  }

  @Test
  void answersARequestOnceEveryTaskHasHadTheTimeToLearnOfIt() {
    assertThat(snapshots.toAnswer()).isZero();
    requested = 3;
    assertThat(snapshots.toAnswer()).isZero();
    assertThat(snapshots.isUnderWay("a")).as("already").isTrue();

    clock.pass(KNOWN_BY_ALL);
    assertThat(snapshots.toAnswer()).isEqualTo(3);
    requested = 4;
    assertThat(snapshots.toAnswer()).isEqualTo(3);
    clock.setBack(Duration.ofHours(1));
    clock.pass(KNOWN_BY_ALL);
    assertThat(snapshots.toAnswer()).isEqualTo(4);
  }

  @Test
  void isUnderWayUntilTheAppHasHadTheTimeToDeleteWhatWasNotNamed() {
    assertThat(snapshots.isUnderWay("a")).isFalse();
    requested = 3;
    answers("a", 3);
    assertThat(snapshots.isUnderWay("a")).isTrue();

    clock.pass(Duration.ofMinutes(10));
    assertThat(snapshots.isUnderWay("a")).isFalse();
    assertThat(snapshots.isUnderWay("b")).as("not answered").isTrue();
    assertThat(snapshots.isUnderWay("elsewhere")).as("nobody lists it").isFalse();
    requested = 4;
    assertThat(snapshots.isUnderWay("a")).isTrue();
  }
}
