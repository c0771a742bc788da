package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.local.NotifyingBlobStore.Sequencer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequencerTest {
  private static final Clock NOW =
      Clock.fixed(Instant.parse("2026-11-21T10:00:00Z"), ZoneOffset.UTC);
  private static final Clock EARLIER = Clock.offset(NOW, Duration.ofDays(-1));
  private static final Clock LATER = Clock.offset(NOW, Duration.ofDays(1));

  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void chooseFile() {
    file = directory.resolve("sequence");
  }

  @Test
  void risesInTextOrderWhenTheClockStandsStill() throws IOException {
    assertThat(take(new Sequencer(file, NOW), 1_000)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void hasSixteenHexadecimalDigitsOfTheTimeWhenFresh() throws IOException {
    String sequencer = new Sequencer(file, NOW).next();

    assertThat(sequencer).matches("[0-9A-F]{16}");
    assertThat(Long.parseLong(sequencer, 16)).isEqualTo(NOW.millis() * 1_000_000);
  }

  @Test
  void risesOverRestartsWhenTheClockWasSetBack() throws IOException {
    List<String> all = new ArrayList<>();
    for (Clock clock : List.of(NOW, EARLIER, LATER, EARLIER, NOW)) {
      // No orderly stop in between: a new one must not need it.
      all.addAll(take(new Sequencer(file, clock), 3));
    }

    assertThat(all).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void followsTheClockWhenItHasPassedTheReservedSpan() throws IOException {
    String first = new Sequencer(file, NOW).next();
    String second = new Sequencer(file, LATER).next();

    assertThat(Long.parseLong(second, 16) - Long.parseLong(first, 16))
        .isEqualTo(Duration.ofDays(1).toNanos());
  }

  private static List<String> take(Sequencer sequencer, int count) throws IOException {
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(sequencer.next());
    }
    return taken;
  }
}
