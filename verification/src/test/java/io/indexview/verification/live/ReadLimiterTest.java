package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.VerificationOptions.Limits;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadLimiterTest {
  private static final long START = 7;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void waitsForNothingWithoutLimits() {
    ReadLimiter limiter = new ReadLimiter(Limits.NONE);
    limiter.row(START);
    limiter.read(1 << 30, 1_000, START);

    assertThat(limiter.waitNanos(START)).isZero();
  }

  @Test
  void waitsForTheLimitThatIsReachedMost() {
    ReadLimiter limiter = new ReadLimiter(new Limits(10, 1_000, 4));

    limiter.row(START);
    assertThat(limiter.waitNanos(START)).isEqualTo(SECOND / 10);
    limiter.read(3_000, 0, START);
    assertThat(limiter.waitNanos(START)).isEqualTo(3 * SECOND);
    limiter.read(0, 2, START);
    assertThat(limiter.waitNanos(START)).isEqualTo(3 * SECOND);
    limiter.read(0, 20.5, START);
    assertThat(limiter.waitNanos(START)).isEqualTo(22 * SECOND / 4 + SECOND / 8);
  }

  @Test
  void doesNotMakeUpForTimeThatWasSpentOnSomethingElse() {
    ReadLimiter limiter = new ReadLimiter(new Limits(0, 100, 0));
    limiter.read(100, 0, START);

    assertThat(limiter.waitNanos(START + 5 * SECOND)).isZero();
    limiter.read(100, 0, START + 5 * SECOND);
    assertThat(limiter.waitNanos(START + 5 * SECOND)).isEqualTo(SECOND);
  }
}
