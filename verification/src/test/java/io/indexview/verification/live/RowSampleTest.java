package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RowSampleTest {
  private static final int ROWS = 200_000;

  private static Stream<String> ids() {
    return IntStream.range(0, ROWS).mapToObj(number -> "/IDX/by-org/Support/-/" + number);
  }

  @Test
  void sampleHasTheWantedShare() {
    for (double percent : new double[] {0.5, 5, 50, 99}) {
      for (String seed : new String[] {"20261125T215337-0a1b", "20261125T215337-0a1c"}) {
        long chosen = ids().filter(new RowSample(percent, seed)).count();
        assertThat(100.0 * chosen / ROWS).isCloseTo(percent, within(0.1 + percent / 50));
      }
    }
    assertThat(ids()).allMatch(new RowSample(100, "any"));
  }

  @Test
  void anotherSeedChoosesOtherRows() {
    Predicate<String> one = new RowSample(10, "20261125T215337-0a1b");
    Predicate<String> other = new RowSample(10, "20261125T215338-0a1b");

    assertThat(ids().filter(one.and(other)).count()).isBetween(ROWS / 200L, ROWS / 50L);
  }
}
