package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.dynamodb.write.TableLimiter.Request;
import io.indexview.dynamodb.ItemStoreException.Unavailable;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class TableLimiterTest {
  private static final Unavailable THROTTLED = new Unavailable("throttled", null);

  private final Supplier<Backoff> backoffs =
      () -> new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), () -> 0.0);
  private final ManualClock clock = new ManualClock();

  private TableLimiter limiter(int maxInFlight, double unitsPerSecond) {
    return new TableLimiter("t", maxInFlight, unitsPerSecond, backoffs.get(), clock);
  }

  private List<Request> sendAll(TableLimiter limiter) {
    List<Request> sent = new ArrayList<>();
    while (limiter.allows()) {
      sent.add(limiter.sent(1));
    }
    return sent;
  }

  private void answer(TableLimiter limiter, List<Request> requests, Unavailable notTaken) {
    requests.forEach(request -> limiter.answered(request, 1, notTaken));
  }

  @Test
  void halvesOnceForAllThatWasInFlightWhenItFailed() {
    TableLimiter limiter = limiter(16, 0);

    answer(limiter, sendAll(limiter), THROTTLED);

    assertThat(limiter.requestLimit()).isEqualTo(8);
    assertThat(limiter.requestsInFlight()).isZero();
    assertThat(limiter.failures()).isEqualTo(16);
    assertThat(limiter.allows()).isFalse();
    clock.pass(Duration.ofMillis(50));
    assertThat(sendAll(limiter)).hasSize(8);
  }

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    TableLimiter limiter = limiter(16, 10);
    answer(limiter, sendAll(limiter), THROTTLED);
    clock.setBack(Duration.ofHours(1));

    clock.pass(Duration.ofMillis(100));
    assertThat(sendAll(limiter)).hasSize(1);
  }

  @Test
  void saysOncePerOutageThatTheTableDoesNotTakeAllWrites() {
    TableLimiter limiter = limiter(1, 0);
    try (LogLines log = LogLines.of(TableLimiter.class)) {
      for (int outage = 0; outage < 2; outage++) {
        for (Unavailable notTaken : Arrays.asList(THROTTLED, THROTTLED, THROTTLED, null, null)) {
          answer(limiter, sendAll(limiter), notTaken);
          clock.pass(Duration.ofSeconds(10));
        }
      }

      String slower =
          "Table t does not take all writes, trying again, slower, until it does: throttled";
      String again = "Table t takes writes again after 3 failures";
      assertThat(log.get()).containsExactly(slower, again, slower, again);
    }
  }

  @Test
  void isNeverLessThanOneRequestAndWaitsLongerEachTime() {
    TableLimiter limiter = limiter(4, 0);

    for (int wait : List.of(50, 100, 200, 400)) {
      answer(limiter, sendAll(limiter), THROTTLED);
      clock.pass(Duration.ofMillis(wait - 1));
      assertThat(limiter.allows()).isFalse();
      clock.pass(Duration.ofMillis(1));
      assertThat(limiter.allows()).isTrue();
    }

    assertThat(limiter.requestLimit()).isEqualTo(1);
  }

  @Test
  void addsOneRequestAfterAsManySuccessesAndNoMoreThanItMay() {
    TableLimiter limiter = limiter(16, 0);
    answer(limiter, sendAll(limiter), THROTTLED);
    clock.pass(Duration.ofSeconds(1));

    answer(limiter, sendAll(limiter), null);
    answer(limiter, sendAll(limiter), null);
    assertThat(limiter.requestLimit()).isEqualTo(9);
    for (int i = 0; i < 20; i++) {
      answer(limiter, sendAll(limiter), null);
    }

    assertThat(limiter.requestLimit()).isEqualTo(16);
  }

  @Test
  void learnsNothingFromSuccessesOfRequestsThatWereSentBeforeTheFailure() {
    TableLimiter limiter = limiter(4, 0);
    List<Request> sent = sendAll(limiter);
    limiter.answered(sent.get(0), 1, THROTTLED);

    answer(limiter, sent.subList(1, 4), null);

    assertThat(limiter.requestLimit()).isEqualTo(2);
    assertThat(limiter.allows()).isFalse();
  }

  @Test
  void spendsNoMoreUnitsThanComeOnTheAverage() {
    TableLimiter limiter = limiter(1_000, 100);
    int sent = 0;

    for (int i = 0; i < 1_000; i++) {
      for (Request request : sendAll(limiter)) {
        sent++;
        limiter.answered(request, 4, null);
      }
      clock.pass(Duration.ofMillis(10));
    }

    // Ten seconds, and what may be saved; each of the first requests is sent before one tells.
    assertThat(limiter.units()).isEqualTo(4.0 * sent).isBetween(1_000.0, 1_500.0);
  }

  @Test
  void countsOneUnitForEachRowWhereTheStoreTellsNothing() {
    TableLimiter limiter = limiter(1_000, 10);

    List<Request> sent = sendAll(limiter);
    sent.forEach(request -> limiter.answered(request, 0, null));
    assertThat(sent).hasSize(10);
    assertThat(limiter.allows()).isFalse();
    clock.pass(Duration.ofMillis(100));

    assertThat(sendAll(limiter)).hasSize(1);
  }
}
