package io.indexview.schemas.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimerTest {
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final ManualClock clock = new ManualClock();
  private final Timer timer = new Timer(clock);

  @Test
  void isOverFromTheStart() {
    assertThat(timer.isExpired()).isTrue();
    assertThat(timer.remaining()).isZero();
  }

  @Test
  void lastsForItsTimeAfterEachReset() {
    timer.reset(PAUSE);
    clock.pass(PAUSE.minusNanos(1));
    assertThat(timer.isExpired()).isFalse();
    assertThat(timer.remaining()).isEqualTo(Duration.ofNanos(1));

    clock.pass(Duration.ofNanos(1));
    assertThat(timer.isExpired()).isTrue();
    clock.pass(PAUSE);
    assertThat(timer.remaining()).isZero();

    timer.reset(PAUSE);
    assertThat(timer.remaining()).isEqualTo(PAUSE);
  }

  @Test
  void lastsNoLongerWhenTheWallClockIsSet() {
    timer.reset(PAUSE);

    clock.setBack(Duration.ofHours(1));
    assertThat(timer.remaining()).isEqualTo(PAUSE);
    clock.setBack(Duration.ofHours(-2));

    assertThat(timer.remaining()).isEqualTo(PAUSE);
  }

  /** As a setting that stands for never. */
  @Test
  void takesAPauseThatIsLongerThanItCanCount() {
    timer.reset(Duration.ofMillis(Long.MAX_VALUE));
    clock.pass(Duration.ofDays(36_500));

    assertThat(timer.isExpired()).isFalse();
  }

  @Test
  void measuresNanosecondsThatOverflow() {
    assertThat(clock.nanoTime()).isEqualTo(Long.MAX_VALUE);
    timer.reset(Duration.ofNanos(3));

    clock.pass(Duration.ofNanos(2));
    assertThat(timer.isExpired()).isFalse();
    clock.pass(Duration.ofNanos(1));

    assertThat(timer.isExpired()).isTrue();
  }
}
