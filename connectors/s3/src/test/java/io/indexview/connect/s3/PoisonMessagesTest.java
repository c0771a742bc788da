package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.MessageReader.PoisonMessages;
import java.io.StringWriter;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.WriterAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PoisonMessagesTest {
  private final StringWriter log = new StringWriter();
  private final Logger logger = (Logger) LogManager.getLogger(MessageReader.class);
  private final WriterAppender appender =
      WriterAppender.createAppender(
          PatternLayout.newBuilder().withPattern("%m%n").build(),
          null,
          log,
          "poison",
          false,
          false);
  private final PoisonMessages messages = new PoisonMessages("becomes a dead letter");

  private Level level;

  @BeforeEach
  void listen() {
    level = logger.getLevel();
    Configurator.setLevel(logger.getName(), Level.WARN);
    appender.start();
    logger.setAdditive(false);
    logger.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    logger.removeAppender(appender);
    appender.stop();
    logger.setAdditive(true);
    Configurator.setLevel(logger.getName(), level);
  }

  private long lines(String id) {
    return log.toString().lines().filter(line -> line.contains("Message " + id + " ")).count();
  }

  @Test
  void namesAMessageOnceHoweverOftenItComesBack() {
    for (int delivery = 0; delivery < 5; delivery++) {
      messages.add("m1", "not JSON");
      messages.left("m2", "no sequencer");
    }

    assertThat(messages.receipts()).isEqualTo(10);
    assertThat(log.toString().lines())
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
