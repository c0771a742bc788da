package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A source that follows the changes of its store. */
abstract class ChangeCaptureScenario {
  private static final int POLLS = 1_000;

  @TempDir Path directory;
  SourceHarness harness;

  @BeforeEach
  final void startToCapture() {
    harness = new SourceHarness(directory);
    harness.setMode(CaptureMode.AUTO);
    harness.restart();
  }

  @AfterEach
  final void stop() {
    harness.close();
  }

  /** Events of so much time, in polls of some milliseconds each. */
  final List<SourceRecord> eventsOf(Duration time) {
    List<SourceRecord> events = new ArrayList<>();
    long step = Math.max(1, time.toMillis() / POLLS);
    for (long passed = 0; passed < time.toMillis(); passed += step) {
      harness.pass(Duration.ofMillis(step));
      events.addAll(harness.poll());
    }
    events.removeIf(record -> record.topic().equals(SourceHarness.STATES));
    return events;
  }
}
