package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeliveryLedgerTest {
  private static final Instant NOW = Instant.parse("2017-08-20T12:00:00Z");

  private int fullBatches;
  private final DeliveryLedger ledger =
      new DeliveryLedger(Duration.ofSeconds(60), () -> fullBatches++);

  private void done(int from, int to) {
    for (int i = from; i < to; i++) {
      received("m" + i, "r" + i);
      ledger.dispatched("m" + i, 1);
      ledger.acknowledged("m" + i);
    }
  }

  private static QueueMessage message(String id, String handle) {
    return new QueueMessage(id, handle, "{}");
  }

  private void received(String id, String handle) {
    ledger.received(List.of(message(id, handle)), NOW);
  }

  @Test
  void owesTheDeleteOnlyAfterTheLastRecord() {
    received("a", "1");
    ledger.dispatched("a", 2);
    ledger.acknowledged("a");
    assertThat(ledger.takeDone()).isEmpty();

    ledger.acknowledged("a");

    assertThat(ledger.takeDone()).containsExactly(new Receipt("a", "1"));
    assertThat(ledger.takeDone()).isEmpty();
    ledger.deleted("a");
    assertThat(ledger.size()).isZero();
  }

  @Test
  void owesTheDeleteAtOnceOfAMessageWithoutRecords() {
    received("a", "1");

    ledger.dispatched("a", 0);

    assertThat(ledger.takeDone()).hasSize(1);
  }

  @Test
  void takesOverTheNewestReceiptAndReadsNoMessageTwice() {
    received("a", "1");
    ledger.dispatched("a", 1);

    assertThat(ledger.received(List.of(message("a", "2"), message("b", "3")), NOW))
        .containsExactly(message("b", "3"));
    ledger.acknowledged("a");

    assertThat(ledger.takeDone()).containsExactly(new Receipt("a", "2"));
  }

  @Test
  void triesADeleteAgainThatFailed() {
    received("a", "1");
    ledger.dispatched("a", 0);
    ledger.takeDone();

    ledger.notDeleted("a");

    assertThat(ledger.takeDone()).hasSize(1);
  }

  @Test
  void forgetsAMessageThatIsLeftToTheQueue() {
    received("a", "1");

    ledger.released("a");

    assertThat(ledger.takeDone()).isEmpty();
    assertThat(ledger.takeExpiring(NOW.plusSeconds(59))).isEmpty();
    assertThat(ledger.received(List.of(message("a", "2")), NOW)).hasSize(1);
  }

  @Test
  void extendsWhenHalfOfTheVisibilityIsOver() {
    received("a", "1");

    assertThat(ledger.takeExpiring(NOW.plusSeconds(30))).isEmpty();
    assertThat(ledger.takeExpiring(NOW.plusSeconds(31))).containsExactly(new Receipt("a", "1"));
    assertThat(ledger.takeExpiring(NOW.plusSeconds(32))).isEmpty();
    ledger.notExtended("a", NOW.plusSeconds(32));
    assertThat(ledger.takeExpiring(NOW.plusSeconds(33))).hasSize(1);
  }

  @Test
  void handsOutBatchesThatTheQueueTakes() {
    for (int i : IntStream.range(0, 25).toArray()) {
      received("m" + i, "r" + i);
      ledger.dispatched("m" + i, 0);
    }

    assertThat(ledger.takeDone()).hasSize(10);
    assertThat(ledger.takeDone()).hasSize(10);
    assertThat(ledger.takeDone()).hasSize(5);
  }

  @Test
  void tellsOnceThatABatchIsDone() {
    done(0, 9);
    assertThat(fullBatches).isZero();
    assertThat(ledger.takeDoneBatch()).isEmpty();

    done(9, 15);

    assertThat(fullBatches).isEqualTo(1);
    assertThat(ledger.takeDoneBatch()).hasSize(10);
    assertThat(ledger.takeDoneBatch()).isEmpty();
    done(15, 20);
    assertThat(fullBatches).isEqualTo(2);
  }

  @Test
  void tellsThatABatchOfMessagesWithoutRecordsIsDone() {
    for (int i = 0; i < 10; i++) {
      received("m" + i, "r" + i);
      ledger.dispatched("m" + i, 0);
    }

    assertThat(fullBatches).isEqualTo(1);
  }

  @Test
  void deletesFirstWhatWasDoneFirst() {
    received("a", "1");
    received("b", "2");
    ledger.dispatched("b", 0);
    ledger.dispatched("a", 0);

    assertThat(ledger.takeDone()).containsExactly(new Receipt("b", "2"), new Receipt("a", "1"));
  }

  @Test
  void doesNotDeleteWhatIsLeftToTheQueueAfterAll() {
    received("a", "1");
    received("b", "2");
    ledger.dispatched("a", 0);
    ledger.released("a");
    ledger.dispatched("b", 2);
    ledger.acknowledged("b");
    ledger.failed("b");

    assertThat(ledger.takeDone()).isEmpty();
    assertThat(ledger.size()).isZero();
  }

  @Test
  void givesBackWhatIsNotDone() {
    received("reading", "1");
    received("sent", "2");
    ledger.dispatched("sent", 1);
    received("deleting", "3");
    ledger.dispatched("deleting", 0);
    ledger.takeDone();

    assertThat(ledger.unfinished())
        .containsExactly(new Receipt("reading", "1"), new Receipt("sent", "2"));
    ledger.acknowledged("sent");
    assertThat(ledger.size()).isEqualTo(3);
  }

  @Test
  void refusesToCountWhatCannotBe() {
    received("a", "1");
    assertThatThrownBy(() -> ledger.acknowledged("a")).isInstanceOf(IllegalStateException.class);
    ledger.dispatched("a", 1);
    assertThatThrownBy(() -> ledger.dispatched("a", 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.acknowledged("b")).isInstanceOf(IllegalStateException.class);
  }
}
