package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScanLimiterTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ManualClock clock = new ManualClock();
  private final long begun = clock.nanoTime();
  private final List<Long> begins = new ArrayList<>();
  private final ScanLimiter limiter = new ScanLimiter(Duration.ofMillis(10), clock);

  /** A chunk whose records take 3 ms each. */
  private void call() {
    limiter.run(
        expired -> {
          begins.add((clock.nanoTime() - begun) / MS);
          do {
            clock.pass(Duration.ofMillis(3));
          } while (!expired.getAsBoolean());
        });
  }

  @Test
  void buildsSourcePartitionAfterSourcePartitionWhenNothingElseIsToDo() {
    call();
    call();
    call();

    assertThat(begins).containsExactly(0L, 12L, 24L);
  }

  @Test
  void leavesEventsAsMuchTimeAsItTook() {
    limiter.eventCame(clock.nanoTime());
    call();
    call();
    assertThat(begins).containsExactly(0L);

    clock.pass(Duration.ofMillis(11));
    call();
    assertThat(begins).containsExactly(0L);

    clock.pass(Duration.ofMillis(1));
    call();
    call();
    assertThat(begins).containsExactly(0L, 24L, 36L);
  }

  @Test
  void isAtRestASecondAfterTheLastEventOrChunk() {
    clock.pass(Duration.ofMillis(1_001));
    assertThat(limiter.isAtRest()).isTrue();

    limiter.eventCame(clock.nanoTime());
    assertThat(limiter.isAtRest()).isFalse();
    clock.pass(Duration.ofMillis(1_001));
    assertThat(limiter.isAtRest()).isTrue();

    call();
    assertThat(limiter.isAtRest()).isFalse();
  }

  private Duration untilNextPoll(Duration timeout) {
    return StreamsClients.untilNextPoll(timeout, limiter::isAtRest);
  }

  @Test
  void letsAThreadAtRestAloneWaitLonger() {
    Duration busy = Duration.ofMillis(10);
    assertThat(untilNextPoll(busy)).isEqualTo(busy);

    clock.pass(Duration.ofMillis(1_001));
    assertThat(untilNextPoll(busy)).isEqualTo(Duration.ofMillis(250));
    assertThat(untilNextPoll(Duration.ZERO)).isZero();
    assertThat(untilNextPoll(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
  }
}
