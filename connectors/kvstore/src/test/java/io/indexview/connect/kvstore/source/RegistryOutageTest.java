package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans while values that carry the id of a schema cannot be decoded. */
class RegistryOutageTest {
  @TempDir private Path directory;
  private SourceHarness harness;

  @BeforeEach
  void start() {
    harness = new SourceHarness(directory);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void goesOnWithAScanWhenTheRegistryAnswersAgain(boolean adHoc) {
    for (int i = 0; i < 30; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    for (int i = 0; i < 30; i++) {
      harness.put(i, "Ada Lovelace");
    }
    if (adHoc) {
      harness.request(1);
    }
    harness.pass(SourceHarness.INTERVAL);
    for (int polls = 0; polls < 5; polls++) {
      harness.poll();
    }
    harness.setRegistryAnswers(false);
    for (int polls = 0; polls < 5; polls++) {
      harness.pass(Duration.ofSeconds(1));
      harness.poll();
    }
    assertThat(harness.progress.outages()).isEqualTo(1);
    harness.setRegistryAnswers(true);
    harness.scan();

    assertThat(harness.lastScan().getBoolean("adHoc")).isEqualTo(adHoc);
    assertThat(harness.lastScan().getInt64("records")).isEqualTo(30);
    harness.assertConverged();
  }
}
