package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.queue.EventQueue.Outcome;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every event queue does, the one in memory and SQS alike. */
abstract class EventQueueContract {
  private static final Duration MINUTE = Duration.ofSeconds(60);

  /** An empty queue. */
  abstract EventQueue queue();

  abstract void send(String body);

  /** Lets visibility timeouts of up to so long pass. */
  abstract void pass(Duration duration);

  private List<QueueMessage> receive(int count, Duration visibility) {
    List<QueueMessage> received = new ArrayList<>();
    await()
        .until(
            () -> {
              received.addAll(queue().receive(Duration.ZERO, visibility).join());
              return received.size() >= count;
            });
    return received;
  }

  private static Receipt receipt(QueueMessage message) {
    return new Receipt(message.id(), message.receiptHandle());
  }

  @Test
  void handsOutEachMessageOnceWhileItIsHidden() {
    Set<String> sent = new HashSet<>();
    for (int i = 0; i < 25; i++) {
      send("body " + i);
      sent.add("body " + i);
    }

    List<QueueMessage> received = receive(25, MINUTE);

    assertThat(received).extracting(QueueMessage::body).containsExactlyInAnyOrderElementsOf(sent);
    assertThat(received).extracting(QueueMessage::id).doesNotHaveDuplicates();
    assertThat(queue().receive(Duration.ZERO, MINUTE).join()).isEmpty();
  }

  @Test
  void handsOutAMessageAgainUnderItsOldIdWhenNobodyDeletedIt() {
    send("body");
    QueueMessage first = receive(1, Duration.ofSeconds(1)).get(0);
    pass(Duration.ofSeconds(1));

    QueueMessage second = receive(1, MINUTE).get(0);

    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.body()).isEqualTo(first.body());
  }

  @Test
  void deletesForGood() {
    send("body");
    QueueMessage message = receive(1, Duration.ofSeconds(1)).get(0);

    assertThat(queue().deleteBatch(List.of(receipt(message))).join()).isEqualTo(Outcome.DONE);

    pass(Duration.ofSeconds(1));
    assertThat(queue().receive(Duration.ZERO, MINUTE).join()).isEmpty();
  }

  @Test
  void deletesTheOthersOfABatchWhenOneReceiptIsWrong() {
    send("a");
    send("b");
    List<QueueMessage> messages = receive(2, MINUTE);
    Receipt wrong = new Receipt("stranger", "no-receipt");

    Outcome outcome =
        queue()
            .deleteBatch(List.of(receipt(messages.get(0)), wrong, receipt(messages.get(1))))
            .join();

    assertThat(outcome).isEqualTo(new Outcome(Set.of(), Set.of("stranger")));
    assertThat(queue().deleteBatch(List.of(wrong)).join().refused()).containsExactly("stranger");
  }

  @Test
  void refusesToHideWhatItDoesNotKnow() {
    Receipt wrong = new Receipt("stranger", "no-receipt");

    assertThat(queue().extendVisibility(List.of(wrong), MINUTE).join().refused())
        .containsExactly("stranger");
  }

  @Test
  void keepsAMessageHiddenForLongerWhenAsked() {
    send("body");
    QueueMessage message = receive(1, Duration.ofSeconds(3)).get(0);

    assertThat(queue().extendVisibility(List.of(receipt(message)), MINUTE).join())
        .isEqualTo(Outcome.DONE);

    pass(Duration.ofSeconds(3));
    assertThat(queue().receive(Duration.ZERO, MINUTE).join()).isEmpty();
  }

  @Test
  void handsOutAtOnceWhatIsGivenBack() {
    send("body");
    QueueMessage message = receive(1, MINUTE).get(0);

    assertThat(queue().extendVisibility(List.of(receipt(message)), Duration.ZERO).join())
        .isEqualTo(Outcome.DONE);

    assertThat(receive(1, MINUTE)).extracting(QueueMessage::id).containsExactly(message.id());
  }
}
