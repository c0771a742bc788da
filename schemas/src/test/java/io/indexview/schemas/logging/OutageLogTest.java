package io.indexview.schemas.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  /** What the clients of brokers, registries and stores say, from one try to the next. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no answer after 1 tries                         | no answer after 12 tries
          Call(callName=a, deadlineMs=17, tries=1)        | Call(callName=a, deadlineMs=18, tries=2)
          Failed to get offsets by times in 10413ms       | Failed to get offsets by times in 10ms
          (Status Code: 500, Request ID: QK3V9A, n: a+/=) | (Status Code: 500, Request ID: 4f5c-1, n: a+/=)
          on [2026-11-27 01:53:51.162 UTC]. Timeout: 5s   | on [2026-11-27 01:53:56.7 UTC]. Timeout: 5s
          id 0b1c2d3e-0000-1111-2222-333344445555 failed  | id 0b1c2d3e-0000-1111-2222-333344445556 failed
          """)
  void takesMessagesForTheSameWhoseCountsTimesAndIdsOfRequestsDiffer(String one, String next) {
    log.failed("first", failure("no answer", new IllegalStateException(one)));
    log.failed("second", failure("no answer", new IllegalStateException(next)));

    assertThat(lines.get()).containsExactly("first");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Not authorized to access topics: [prod-2-a]     | Not authorized to access topics: [prod-2-b]
          Not authorized to access group: eu1-a           | Not authorized to access group: eu2-a
          HTTP 401: see the credentials                   | HTTP 403: see the credentials
          (Status Code: 403, Request ID: a)               | (Status Code: 503, Request ID: a)
          """)
  void tellsCausesApartByNamesWithDigitsAndStatuses(String one, String next) {
    log.failed("first", failure("no answer", new IllegalStateException(one)));
    log.failed("second", failure("no answer", new IllegalStateException(next)));

    assertThat(lines.get()).containsExactly("first", "second");
  }

  private static TimeoutException failure(String message, Throwable cause) {
    return new TimeoutException(message, cause);
  }
}
