package io.indexview.schemas.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutageLogTest {
  private final LogLines lines = LogLines.of(OutageLogTest.class);
  private final OutageLog log =
      new OutageLog(LoggerFactory.getLogger(OutageLogTest.class), "it is over");

  @AfterEach
  void close() {
    lines.close();
  }

  @Test
  void saysNothingWhereNothingFails() {
    log.succeeded();

    assertThat(lines.get()).isEmpty();
  }

  @Test
  void warnsOncePerOutageAndSaysOnceThatItIsOver() {
    for (int outage = 0; outage < 2; outage++) {
      log.failed("first", new TimeoutException("no answer"));
      log.failed("second", new TimeoutException("no answer"));
      log.succeeded();
      log.succeeded();
    }

    assertThat(lines.get()).containsExactly("first", "it is over", "first", "it is over");
  }

  @Test
  void warnsOfEachCauseOnce() {
    log.failed("class", new TimeoutException("no answer"));
    log.failed("other class", new DisconnectException("no answer"));
    log.failed("other message", new TimeoutException("who are you?"));
    log.failed("first failure", failure("no answer", new IllegalStateException("full")));
    log.failed("other first failure", failure("no answer", new IllegalStateException("closed")));
    log.failed("class again", new TimeoutException("no answer"));
    log.failed("first failure again", failure("no answer", new IllegalStateException("full")));

    assertThat(lines.get())
        .containsExactly(
            "class", "other class", "other message", "first failure", "other first failure");
  }

  /** They are others each time, in what the clients of brokers and stores say. */
  @Test
  void takesMessagesForTheSameWhoseNumbersAndIdsDiffer() {
    log.failed("first", failure("no answer after 1 tries", request("4f5c-11ee")));
    log.failed("second", failure("no answer after 12 tries", request("QK3V9ASUAAJG")));

    assertThat(lines.get()).containsExactly("first");
  }

  private static TimeoutException failure(String message, Throwable cause) {
    return new TimeoutException(message, cause);
  }

  private static IllegalStateException request(String id) {
    return new IllegalStateException("Status Code: 500, Request ID: " + id);
  }
}
