package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.QueueMessageReader.PoisonMessages;
import io.indexview.schemas.fixtures.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoisonMessagesTest {
  private final LogLines log = LogLines.warnings(QueueMessageReader.class);
  private final PoisonMessages messages = new PoisonMessages("becomes a dead letter");

  @AfterEach
  void stopListening() {
    log.close();
  }

  private long lines(String id) {
    return log.get().stream().filter(line -> line.contains("Message " + id + " ")).count();
  }

  @Test
  void namesAMessageOnceHoweverOftenItComesBack() {
    for (int delivery = 0; delivery < 5; delivery++) {
      messages.add("m1", "not JSON");
      messages.left("m2", "no sequencer");
    }

    assertThat(messages.receipts()).isEqualTo(10);
    assertThat(log.get())
        .containsExactly(
            "Message m1 cannot be used and becomes a dead letter: not JSON",
            "Message m2 cannot be used and is left to the queue's redrive policy: no sequencer");
  }

  @Test
  void remembersOnlyTheLastOfVeryMany() {
    messages.add("first", "not JSON");
    for (int i = 1; i < PoisonMessages.REMEMBERED; i++) {
      messages.add("m" + i, "not JSON");
    }
    messages.add("first", "not JSON");
    assertThat(lines("first")).isOne();

    messages.add("one-more", "not JSON");
    messages.add("first", "not JSON");
    assertThat(lines("first")).isEqualTo(2);
    assertThat(lines("m" + (PoisonMessages.REMEMBERED - 1))).isOne();
  }
}
