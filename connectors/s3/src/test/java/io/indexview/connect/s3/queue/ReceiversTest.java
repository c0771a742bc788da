package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiversTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final FakeEventQueue queue = new FakeEventQueue(clock);
  private final DeliveryLedger ledger = new DeliveryLedger(VISIBILITY, () -> {});
  private final List<QueueMessage> arrived = new ArrayList<>();
  private final Receivers receivers =
      new Receivers(
          queue,
          ledger,
          new Receivers.Settings(2, 20, Duration.ofSeconds(10), VISIBILITY),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0.5),
          clock,
          Runnable::run,
          arrived::addAll);

  @Test
  void stopsReceivingWhenEnoughIsInFlightAndGoesOnWhenThereIsRoom() {
    for (int i = 0; i < 50; i++) {
      queue.send("m" + i, "");
    }

    receivers.fill();
    assertThat(arrived).hasSize(20);

    arrived.subList(0, 10).forEach(message -> ledger.released(message.id()));
    receivers.fill();
    assertThat(arrived).hasSize(30);
    assertThat(receivers.answering()).isTrue();
  }

  @Test
  void waitsAfterAFailureAndSaysThatNobodyAnswers() {
    queue.send("a", "");
    queue.failNext(new QueueException.Unavailable("no network", null));

    receivers.fill();
    assertThat(receivers.answering()).isFalse();
    assertThat(arrived).isEmpty();

    clock.pass(Duration.ofMillis(200));
    receivers.fill();
    assertThat(arrived).hasSize(1);
    assertThat(receivers.answering()).isTrue();
  }

  @Test
  void givesUpWhenNothingWillWork() {
    QueueException.Permanent denied = new QueueException.Permanent("denied", null);
    queue.failNext(denied);

    receivers.fill();

    assertThat(receivers.failure()).isSameAs(denied);
    queue.send("a", "");
    receivers.fill();
    assertThat(arrived).isEmpty();
  }
}
