package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InFlightMessagesTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private int fullBatches;
  private final InFlightMessages inFlight =
      new InFlightMessages(VISIBILITY, () -> fullBatches++, clock);

  private void done(int from, int to) {
    for (int i = from; i < to; i++) {
      received("m" + i, "r" + i);
      inFlight.dispatched("m" + i, 1);
      inFlight.acknowledged("m" + i);
    }
  }

  private static QueueMessage message(String id, String handle) {
    return new QueueMessage(id, handle, "{}", Instant.EPOCH);
  }

  private void received(String id, String handle) {
    inFlight.received(List.of(message(id, handle)));
  }

  @Test
  void owesTheDeleteOnlyAfterTheLastRecord() {
    received("a", "1");
    inFlight.dispatched("a", 2);
    inFlight.acknowledged("a");
    assertThat(inFlight.takeDone()).isEmpty();

    inFlight.acknowledged("a");

    assertThat(inFlight.takeDone()).containsExactly(new Receipt("a", "1"));
    assertThat(inFlight.takeDone()).isEmpty();
    inFlight.deleted("a");
    assertThat(inFlight.size()).isZero();
  }

  @Test
  void knowsWhenTheOldestMessageWasSentOfWhichKafkaDoesNotHaveEveryRecord() {
    assertThat(inFlight.oldestSentAt()).isEmpty();
    inFlight.received(
        List.of(
            new QueueMessage("a", "1", "{}", Instant.ofEpochSecond(3)),
            new QueueMessage("b", "1", "{}", Instant.ofEpochSecond(1)),
            new QueueMessage("c", "1", "{}", Instant.ofEpochSecond(2))));
    inFlight.dispatched("b", 1);
    assertThat(inFlight.oldestSentAt()).contains(Instant.ofEpochSecond(1));

    inFlight.acknowledged("b");
    assertThat(inFlight.oldestSentAt()).contains(Instant.ofEpochSecond(2));

    inFlight.released("c");
    clock.pass(VISIBILITY.plusSeconds(1));
    assertThat(inFlight.oldestSentAt())
        .as("it is on its way back")
        .contains(Instant.ofEpochSecond(2));

    clock.pass(VISIBILITY);
    assertThat(inFlight.oldestSentAt()).contains(Instant.ofEpochSecond(3));
  }

  @Test
  void knowsOfAMessageThatWasLeftUntilItComesAgainAndIsDone() {
    QueueMessage message = new QueueMessage("a", "1", "{}", Instant.ofEpochSecond(1));
    inFlight.received(List.of(message));
    inFlight.dispatched("a", 1);
    inFlight.failed("a");
    assertThat(inFlight.oldestSentAt()).contains(message.sentAt());

    inFlight.received(List.of(message));
    inFlight.dispatched("a", 0);
    assertThat(inFlight.oldestSentAt()).isEmpty();
  }

  @Test
  void owesTheDeleteAtOnceOfAMessageWithoutRecords() {
    received("a", "1");

    inFlight.dispatched("a", 0);

    assertThat(inFlight.takeDone()).hasSize(1);
  }

  @Test
  void takesOverTheNewestReceiptAndReadsNoMessageTwice() {
    received("a", "1");
    inFlight.dispatched("a", 1);

    assertThat(inFlight.received(List.of(message("a", "2"), message("b", "3"))))
        .containsExactly(message("b", "3"));
    inFlight.acknowledged("a");

    assertThat(inFlight.takeDone()).containsExactly(new Receipt("a", "2"));
  }

  @Test
  void triesADeleteAgainThatFailed() {
    received("a", "1");
    inFlight.dispatched("a", 0);
    inFlight.takeDone();

    inFlight.notDeleted("a");

    assertThat(inFlight.takeDone()).hasSize(1);
  }

  @Test
  void forgetsAMessageThatIsLeftToTheQueue() {
    received("a", "1");

    inFlight.released("a");

    assertThat(inFlight.takeDone()).isEmpty();
    assertThat(inFlight.takeExpiring()).isEmpty();
    assertThat(inFlight.received(List.of(message("a", "2")))).hasSize(1);
  }

  @Test
  void extendsWhenHalfOfTheVisibilityIsOver() {
    received("a", "1");

    clock.pass(Duration.ofSeconds(30));
    assertThat(inFlight.takeExpiring()).isEmpty();
    clock.pass(Duration.ofSeconds(1));
    assertThat(inFlight.takeExpiring()).containsExactly(new Receipt("a", "1"));
    clock.pass(Duration.ofSeconds(1));
    assertThat(inFlight.takeExpiring()).isEmpty();
    inFlight.notExtended("a");
    assertThat(inFlight.takeExpiring()).hasSize(1);
  }

  @Test
  void handsOutBatchesThatTheQueueTakes() {
    for (int i : IntStream.range(0, 25).toArray()) {
      received("m" + i, "r" + i);
      inFlight.dispatched("m" + i, 0);
    }

    assertThat(inFlight.takeDone()).hasSize(10);
    assertThat(inFlight.takeDone()).hasSize(10);
    assertThat(inFlight.takeDone()).hasSize(5);
  }

  @Test
  void tellsOnceThatABatchIsDone() {
    done(0, 9);
    assertThat(fullBatches).isZero();
    assertThat(inFlight.takeDoneBatch()).isEmpty();

    done(9, 15);

    assertThat(fullBatches).isEqualTo(1);
    assertThat(inFlight.takeDoneBatch()).hasSize(10);
    assertThat(inFlight.takeDoneBatch()).isEmpty();
    done(15, 20);
    assertThat(fullBatches).isEqualTo(2);
  }

  @Test
  void tellsThatABatchOfMessagesWithoutRecordsIsDone() {
    for (int i = 0; i < 10; i++) {
      received("m" + i, "r" + i);
      inFlight.dispatched("m" + i, 0);
    }

    assertThat(fullBatches).isEqualTo(1);
  }

  @Test
  void deletesFirstWhatWasDoneFirst() {
    received("a", "1");
    received("b", "2");
    inFlight.dispatched("b", 0);
    inFlight.dispatched("a", 0);

    assertThat(inFlight.takeDone()).containsExactly(new Receipt("b", "2"), new Receipt("a", "1"));
  }

  @Test
  void doesNotDeleteWhatIsLeftToTheQueueAfterAll() {
    received("a", "1");
    received("b", "2");
    inFlight.dispatched("a", 0);
    inFlight.released("a");
    inFlight.dispatched("b", 2);
    inFlight.acknowledged("b");
    inFlight.failed("b");

    assertThat(inFlight.takeDone()).isEmpty();
    assertThat(inFlight.size()).isZero();
  }

  @Test
  void givesBackWhatIsNotDone() {
    received("reading", "1");
    received("sent", "2");
    inFlight.dispatched("sent", 1);
    received("deleting", "3");
    inFlight.dispatched("deleting", 0);
    inFlight.takeDone();

    assertThat(inFlight.unfinished())
        .containsExactly(new Receipt("reading", "1"), new Receipt("sent", "2"));
    inFlight.acknowledged("sent");
    assertThat(inFlight.size()).isEqualTo(3);
  }

  @Test
  void refusesToCountWhatCannotBe() {
    received("a", "1");
    assertThatThrownBy(() -> inFlight.acknowledged("a")).isInstanceOf(IllegalStateException.class);
    inFlight.dispatched("a", 1);
    assertThatThrownBy(() -> inFlight.dispatched("a", 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> inFlight.acknowledged("b")).isInstanceOf(IllegalStateException.class);
  }
}
