package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueueAcknowledgementsTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final FakeEventQueue queue = new FakeEventQueue(clock);
  private final InFlightMessages inFlight = new InFlightMessages(VISIBILITY, () -> {}, clock);
  private final QueueAcknowledgements acknowledgements =
      new QueueAcknowledgements(
          queue,
          inFlight,
          VISIBILITY,
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0.5),
          clock);

  @BeforeEach
  void receiveTwo() {
    queue.send("a", "");
    queue.send("b", "");
    receive();
  }

  private List<QueueMessage> receive() {
    return inFlight.received(queue.receive(Duration.ZERO, VISIBILITY).join());
  }

  @Test
  void deletesWhatIsDoneAndTriesAgainWhatWasLeftOut() {
    inFlight.dispatched("a", 0);
    inFlight.dispatched("b", 0);
    queue.leaveOut(1);

    acknowledgements.run();
    assertThat(queue.deleted()).containsExactly("b");

    acknowledgements.run();
    assertThat(queue.deleted()).containsExactly("b");
    clock.pass(Duration.ofMillis(200));
    acknowledgements.run();
    assertThat(queue.deleted()).containsExactly("b", "a");
    assertThat(inFlight.size()).isZero();
  }

  @Test
  void leavesABatchThatIsNotFullForTheNextRun() {
    for (int i = 0; i < 9; i++) {
      queue.send("m" + i, "");
    }
    receive();
    inFlight.dispatched("a", 0);
    acknowledgements.deleteFullBatches();
    assertThat(queue.deleted()).isEmpty();

    inFlight.dispatched("b", 0);
    for (int i = 0; i < 9; i++) {
      inFlight.dispatched("m" + i, 0);
    }
    acknowledgements.deleteFullBatches();

    assertThat(queue.deleted()).hasSize(10);
    acknowledgements.run();
    assertThat(queue.deleted()).hasSize(11);
  }

  @Test
  void asksForNothingWhileTheQueueIsToBeLeftAlone() {
    for (int i = 0; i < 10; i++) {
      queue.send("m" + i, "");
    }
    receive();
    inFlight.dispatched("a", 0);
    queue.failNext(new AwsRequestException.Unavailable("no network", null));
    acknowledgements.run();
    for (int i = 0; i < 10; i++) {
      inFlight.dispatched("m" + i, 0);
    }

    acknowledgements.deleteFullBatches();
    assertThat(queue.deleted()).isEmpty();

    clock.pass(Duration.ofSeconds(1));
    acknowledgements.run();
    assertThat(queue.deleted()).hasSize(11);
  }

  @Test
  void keepsMessagesHiddenForAsLongAsTheyAreInFlight() {
    for (int i = 0; i < 10; i++) {
      clock.pass(Duration.ofSeconds(31));
      acknowledgements.run();
      assertThat(queue.receive(Duration.ZERO, VISIBILITY).join()).isEmpty();
    }

    assertThat(queue.extensions()).isEqualTo(20);
  }

  @Test
  void letsAMessageGoWhoseReceiptCountsNoMore() {
    inFlight.dispatched("a", 0);
    clock.pass(Duration.ofSeconds(61));
    List<QueueMessage> elsewhere = queue.receive(Duration.ZERO, VISIBILITY).join();
    assertThat(elsewhere).hasSize(2);

    acknowledgements.run();

    assertThat(queue.deleted()).isEmpty();
    assertThat(inFlight.size()).isEqualTo(1);
  }

  @Test
  void extendsAgainWhenTheQueueDidNotAnswer() {
    clock.pass(Duration.ofSeconds(31));
    queue.failNext(new AwsRequestException.Unavailable("no network", null));
    acknowledgements.run();
    assertThat(queue.extensions()).isZero();

    clock.pass(Duration.ofSeconds(1));
    acknowledgements.run();

    assertThat(queue.extensions()).isEqualTo(2);
  }

  @Test
  void saysWhenDeletingWillNeverWork() {
    inFlight.dispatched("a", 0);
    queue.failNext(new AwsRequestException.Permanent("denied", null));

    acknowledgements.run();

    assertThat(acknowledgements.failure()).hasMessage("denied");
    assertThat(inFlight.size()).isEqualTo(2);
  }

  @Test
  void deletesWhatIsDoneBeforeTheEnd() {
    inFlight.dispatched("a", 0);

    acknowledgements.finish(Duration.ofSeconds(5));

    assertThat(queue.deleted()).containsExactly("a");
  }

  @Test
  void givesBackWhatIsNotDoneAtTheEnd() {
    for (int i = 0; i < 30; i++) {
      queue.send("m" + i, "");
    }
    receive();
    receive();
    receive();
    inFlight.dispatched("a", 0);

    acknowledgements.finish(Duration.ofSeconds(5));

    assertThat(queue.deleted()).containsExactly("a");
    List<String> again = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      queue.receive(Duration.ZERO, VISIBILITY).join().forEach(m -> again.add(m.id()));
    }
    assertThat(again).hasSize(31).contains("b").doesNotContain("a").doesNotHaveDuplicates();
  }
}
