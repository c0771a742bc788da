package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scans that somebody asks for. */
class AskedScansTest {
  @TempDir private Path directory;
  private SourceHarness harness;

  @BeforeEach
  void start() {
    harness = new SourceHarness(directory);
    harness.put(1, "Ada");
    harness.scan();
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  /** What is published in less time than any scan would wait for. */
  private List<SourceRecord> soon() {
    List<SourceRecord> events = new ArrayList<>();
    for (int i = 0; i < SourceHarness.INTERVAL.toMillis() / 10; i++) {
      harness.pass(Duration.ofMillis(5));
      events.addAll(harness.poll());
    }
    return events;
  }

  private long scans() {
    return harness.lastScan().getInt64("number");
  }

  private long answered() {
    return harness.lastState().getStruct("scanRequests").getInt64("answered");
  }

  @ParameterizedTest
  @EnumSource(
      value = CaptureMode.class,
      names = {"SCAN", "AUTO"})
  void scansOnceForEachRequest(CaptureMode mode) {
    harness.setMode(mode);
    harness.restart();
    harness.scan();
    soon();
    long before = scans();
    assertThat(harness.lastState().getStruct("scanRequests").getString("refused")).isEmpty();

    long askedAt = harness.now();
    harness.requests.askForScan(7, askedAt);
    soon();

    assertThat(scans()).isEqualTo(before + 1);
    assertThat(answered()).isEqualTo(7);
    assertThat(harness.lastScan().getInt64("startedAt")).isGreaterThanOrEqualTo(askedAt);
    assertThat(harness.lastScan().getBoolean("adHoc")).isFalse();

    harness.requests.askForScan(8, harness.now());
    soon();
    assertThat(scans()).isEqualTo(before + 2);
    assertThat(answered()).isEqualTo(8);
  }

  @Test
  void findsWhatNobodyPublished() {
    harness.put(2, "Bob");
    harness.requests.askForScan(7, harness.now());

    assertThat(ops(soon())).containsExactly("c 2");
    harness.assertConverged();
  }

  /** It began before, so it may have passed by what changed meanwhile. */
  @Test
  void doesNotTakeAScanForAnAnswerThatIsUnderWay() {
    for (int i = 0; i < 50; i++) {
      harness.put(i, "Bob");
    }
    long before = scans();
    harness.pass(SourceHarness.MAX_INTERVAL);
    while (ops(harness.poll()).isEmpty()) {
      harness.pass(Duration.ofMillis(1));
    }
    assertThat(scans()).as("it is under way").isEqualTo(before);
    harness.pass(Duration.ofMillis(1));
    harness.requests.askForScan(7, harness.now());

    soon();

    assertThat(scans()).isEqualTo(before + 2);
    assertThat(answered()).isEqualTo(7);
  }

  @Test
  void scansOnceForOneWhoseClockIsAhead() {
    long before = scans();
    harness.requests.askForScan(7, harness.now() + Duration.ofHours(1).toMillis());

    soon();

    assertThat(scans()).isEqualTo(before + 1);
    assertThat(answered()).isEqualTo(7);
  }

  @Test
  void knowsAfterARestartWhatTheLastScanHasAnswered() {
    harness.requests.askForScan(7, harness.now());
    soon();
    long before = scans();

    harness.restart();
    soon();

    assertThat(scans()).as("the one that each start makes").isLessThanOrEqualTo(before + 1);
    assertThat(answered()).isLessThanOrEqualTo(7);
  }

  @Test
  void answersAfterAnOutage() {
    harness.setStoreAnswers(false);
    harness.requests.askForScan(7, harness.now());
    soon();
    assertThat(answered()).isZero();

    harness.setStoreAnswers(true);
    soon();

    assertThat(answered()).isEqualTo(7);
  }
}
