package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The whole way of a message, in any order of events, with whatever the queue gets wrong. */
class DeliveryPropertyTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(60);
  private static final int MAX_IN_FLIGHT = 20;

  @Property(tries = 300)
  void deletesEveryMessageAndNoneBeforeAllItsRecordsAreAcknowledged(
      @ForAll @Size(min = 10, max = 200) List<@IntRange(min = 0, max = 99) Integer> steps) {
    World world = new World();
    for (int step : steps) {
      world.step(step);
      world.check();
    }
    world.finish();

    assertThat(world.queue.deleted()).hasSize(world.sent).doesNotHaveDuplicates();
    assertThat(world.queue.size()).isZero();
    assertThat(world.inFlight.size()).isZero();
  }

  private static final class World {
    private final ManualClock clock = new ManualClock();
    private final FakeEventQueue queue = new FakeEventQueue(clock);
    private final Queue<Runnable> thread = new ArrayDeque<>();
    private final InFlightMessages inFlight =
        new InFlightMessages(VISIBILITY, () -> thread.add(this::deleteFullBatches), clock);
    private final Queue<QueueMessage> arrived = new ArrayDeque<>();
    private final List<String> outstanding = new ArrayList<>();
    private final Map<String, Integer> acknowledged = new HashMap<>();
    private final QueueAcknowledgements acknowledgements =
        new QueueAcknowledgements(queue, inFlight, VISIBILITY, backoff(), clock);
    private final Receivers receivers =
        new Receivers(
            queue,
            inFlight,
            new Receivers.Settings(2, MAX_IN_FLIGHT, Duration.ZERO, VISIBILITY),
            backoff(),
            clock,
            thread::add,
            arrived::addAll);
    private int sent;

    private static Backoff backoff() {
      return new Backoff(Duration.ofMillis(10), Duration.ofMillis(100), () -> 0.5);
    }

    /** The number of a message is the number of its records, modulo four. */
    private static int records(String id) {
      return Integer.parseInt(id) % 4;
    }

    private void step(int step) {
      switch (step % 10) {
        case 0, 1 -> queue.send(Integer.toString(sent++), "");
        case 2 -> receive();
        case 3, 4 -> dispatch();
        case 5, 6 -> acknowledge(step);
        case 7 -> acknowledgements.run();
        case 8 -> clock.pass(Duration.ofSeconds(step));
        default -> trouble(step);
      }
    }

    private void deleteFullBatches() {
      acknowledgements.deleteFullBatches();
    }

    private void receive() {
      receivers.fill();
      for (int i = thread.size(); i > 0; i--) {
        thread.poll().run();
      }
    }

    private void dispatch() {
      QueueMessage message = arrived.poll();
      if (message != null) {
        int records = records(message.id());
        acknowledged.put(message.id(), 0);
        for (int i = 0; i < records; i++) {
          outstanding.add(message.id());
        }
        inFlight.dispatched(message.id(), records);
      }
    }

    private void acknowledge(int step) {
      if (!outstanding.isEmpty()) {
        String id = outstanding.remove(step % outstanding.size());
        acknowledged.merge(id, 1, Integer::sum);
        inFlight.acknowledged(id);
      }
    }

    private void trouble(int step) {
      if (step > 50) {
        queue.failNext(new AwsRequestException.Unavailable("no network", null));
      } else {
        queue.leaveOut(1);
      }
    }

    private void check() {
      for (String id : queue.deleted()) {
        assertThat(acknowledged.get(id)).as("records of " + id).isEqualTo(records(id));
        assertThat(outstanding).doesNotContain(id);
      }
      assertThat(inFlight.size()).isLessThanOrEqualTo(MAX_IN_FLIGHT);
      assertThat(receivers.failure()).isNull();
      assertThat(acknowledgements.failure()).isNull();
    }

    private void finish() {
      for (int round = 0; round < 1_000 && (queue.size() > 0 || inFlight.size() > 0); round++) {
        receive();
        dispatch();
        acknowledge(round);
        acknowledgements.run();
        clock.pass(Duration.ofSeconds(1));
        check();
      }
    }
  }
}
