package io.indexview.connect.common.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OccurrencesTest {
  private final Occurrences occurrences = new Occurrences(Duration.ofMinutes(1));

  @Test
  void tellsTheFirstAtOnceAndThenHowManyCameInEachInterval() {
    assertThat(occurrences.occurred(1_000)).isEqualTo(1);
    for (int i = 1; i < 60_000; i++) {
      assertThat(occurrences.occurred(1_000 + i)).isZero();
    }
    assertThat(occurrences.occurred(61_000)).isEqualTo(60_000);
    assertThat(occurrences.occurred(61_001)).isZero();
    assertThat(occurrences.occurred(1_000_000)).isEqualTo(2);
  }

  @Test
  void goesOnTellingWhenTheClockIsSetBack() {
    occurrences.occurred(1_000_000);

    assertThat(occurrences.occurred(5_000)).isEqualTo(1);
    assertThat(occurrences.occurred(5_001)).isZero();
  }
}
