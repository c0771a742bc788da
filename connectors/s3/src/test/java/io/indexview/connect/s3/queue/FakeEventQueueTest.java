package io.indexview.connect.s3.queue;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;

class FakeEventQueueTest extends EventQueueContract {
  private final ManualClock clock = new ManualClock();
  private final FakeEventQueue queue = new FakeEventQueue(clock);
  private int sent;

  @Override
  EventQueue queue() {
    return queue;
  }

  @Override
  void send(String body) {
    queue.send("id-" + sent++, body);
  }

  @Override
  void pass(Duration duration) {
    clock.pass(duration);
  }
}
