package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class BrokerWaitTest {
  private static final String WAITS =
      "The brokers do not answer and are waited for; see to it that they run at bootstrap.servers";
  private static final String AGAIN = "The brokers answer again";

  private final StopSignal stop = new StopSignal();
  private final BrokerWait brokers = new BrokerWait(stop, Duration.ofMillis(1));
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger waited = new AtomicInteger();

  private void run(RuntimeException... failures) {
    Queue<RuntimeException> left = new ArrayDeque<>(List.of(failures));
    brokers.run(
        () -> {
          begun.incrementAndGet();
          if (!left.isEmpty()) {
            throw left.remove();
          }
        },
        waited::incrementAndGet);
  }

  @Test
  void beginsAnewUntilTheBrokersAnswer() {
    run(new TimeoutException("a"), new TimeoutException("b"));

    assertThat(begun).hasValue(3);
    assertThat(waited).hasValue(2);
  }

  @Test
  void saysOncePerOutageAndCauseThatItWaits() {
    try (LogLines log = LogLines.of(BrokerWait.class)) {
      run();
      assertThat(log.get()).isEmpty();

      run(new TimeoutException("after 1 ms"), new TimeoutException("after 2 ms"));
      assertThat(log.get()).containsExactly(WAITS, AGAIN);

      run(
          new TimeoutException("after 3 ms"),
          new CoordinatorNotAvailableException("no coordinator"),
          new CoordinatorNotAvailableException("no coordinator"),
          new TimeoutException("after 4 ms"));
      assertThat(log.get()).containsExactly(WAITS, AGAIN, WAITS, WAITS, AGAIN);
    }
  }

  @Test
  void letsOtherFailuresPass() {
    AuthorizationException refusal = new AuthorizationException("no");

    assertThatThrownBy(() -> run(new TimeoutException("a"), refusal)).isSameAs(refusal);
  }

  @Test
  void endsWhenTheAppCloses() {
    stop.stop();

    assertThatThrownBy(() -> run(new TimeoutException("a"))).isInstanceOf(StoppedException.class);
    assertThat(begun).hasValue(1);
  }
}
