package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScanLimiterTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private long now = 1_000;
  private final List<Long> begins = new ArrayList<>();
  private final ScanLimiter limiter = new ScanLimiter(Duration.ofMillis(10), () -> now);

  /** A chunk whose records take 3 ms each. */
  private void call() {
    limiter.run(
        expired -> {
          begins.add((now - 1_000) / MS);
          do {
            now += 3 * MS;
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
    limiter.eventCame(now);
    call();
    call();
    assertThat(begins).containsExactly(0L);

    now += 11 * MS;
    call();
    assertThat(begins).containsExactly(0L);

    now += MS;
    call();
    call();
    assertThat(begins).containsExactly(0L, 24L, 36L);
  }

  @Test
  void isAtRestASecondAfterTheLastEventOrChunk() {
    now += 1_001 * MS;
    assertThat(limiter.isAtRest()).isTrue();

    limiter.eventCame(now);
    assertThat(limiter.isAtRest()).isFalse();
    now += 1_001 * MS;
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

    now += 1_001 * MS;
    assertThat(untilNextPoll(busy)).isEqualTo(Duration.ofMillis(250));
    assertThat(untilNextPoll(Duration.ZERO)).isZero();
    assertThat(untilNextPoll(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
  }
}
