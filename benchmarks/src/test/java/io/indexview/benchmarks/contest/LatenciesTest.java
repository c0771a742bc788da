package io.indexview.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  @Test
  void tellsWhatSoManyDidNotExceed() {
    Latencies latencies = new Latencies();
    for (int millis = 10_000; millis > 0; millis--) {
      latencies.add(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    assertThat(latencies.count()).isEqualTo(10_000);
    assertThat(latencies.millis(0.5)).isEqualTo(5_000);
    assertThat(latencies.millis(0.99)).isEqualTo(9_900);
    assertThat(latencies.millis(1)).isEqualTo(10_000);
  }

  @Test
  void goesOnAfterItWasAsked() {
    Latencies latencies = new Latencies();
    latencies.add(2_000_000);
    assertThat(latencies.millis(0.5)).isEqualTo(2);

    latencies.add(1_000_000);

    assertThat(latencies.millis(0.5)).isEqualTo(1);
    assertThat(latencies.millis(0.99)).isEqualTo(2);
  }

  @Test
  void knowsNothingOfNone() {
    assertThat(new Latencies().millis(0.5)).isNaN();
  }
}
