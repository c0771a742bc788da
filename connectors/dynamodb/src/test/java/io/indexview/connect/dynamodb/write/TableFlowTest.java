package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.dynamodb.write.TableFlow.Request;
import io.indexview.dynamodb.ItemStoreException.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class TableFlowTest {
  private static final Unavailable THROTTLED = new Unavailable("throttled", null);

  private final Supplier<Backoff> backoffs =
      () -> new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), () -> 0.0);
  private Instant now = Instant.EPOCH;

  private TableFlow flow(int maxInFlight, double unitsPerSecond) {
    return new TableFlow("t", new Pacing(maxInFlight, unitsPerSecond, backoffs));
  }

  private List<Request> sendAll(TableFlow flow) {
    List<Request> sent = new ArrayList<>();
    while (flow.allows(now)) {
      sent.add(flow.sent(1));
    }
    return sent;
  }

  private void answer(TableFlow flow, List<Request> requests, Unavailable notTaken) {
    requests.forEach(request -> flow.answered(request, 1, notTaken, now));
  }

  @Test
  void halvesOnceForAllThatWasInFlightWhenItFailed() {
    TableFlow flow = flow(16, 0);

    answer(flow, sendAll(flow), THROTTLED);

    assertThat(flow.requestLimit()).isEqualTo(8);
    assertThat(flow.requestsInFlight()).isZero();
    assertThat(flow.failures()).isEqualTo(16);
    assertThat(flow.allows(now)).isFalse();
    now = now.plusMillis(50);
    assertThat(sendAll(flow)).hasSize(8);
  }

  @Test
  void isNeverLessThanOneRequestAndWaitsLongerEachTime() {
    TableFlow flow = flow(4, 0);

    for (int wait : List.of(50, 100, 200, 400)) {
      answer(flow, sendAll(flow), THROTTLED);
      assertThat(flow.allows(now.plusMillis(wait - 1))).isFalse();
      now = now.plusMillis(wait);
      assertThat(flow.allows(now)).isTrue();
    }

    assertThat(flow.requestLimit()).isEqualTo(1);
  }

  @Test
  void addsOneRequestAfterAsManySuccessesAndNoMoreThanItMay() {
    TableFlow flow = flow(16, 0);
    answer(flow, sendAll(flow), THROTTLED);
    now = now.plusSeconds(1);

    answer(flow, sendAll(flow), null);
    answer(flow, sendAll(flow), null);
    assertThat(flow.requestLimit()).isEqualTo(9);
    for (int i = 0; i < 20; i++) {
      answer(flow, sendAll(flow), null);
    }

    assertThat(flow.requestLimit()).isEqualTo(16);
  }

  @Test
  void learnsNothingFromSuccessesOfRequestsThatWereSentBeforeTheFailure() {
    TableFlow flow = flow(4, 0);
    List<Request> sent = sendAll(flow);
    flow.answered(sent.get(0), 1, THROTTLED, now);

    answer(flow, sent.subList(1, 4), null);

    assertThat(flow.requestLimit()).isEqualTo(2);
    assertThat(flow.allows(now)).isFalse();
  }

  @Test
  void spendsNoMoreUnitsThanComeOnTheAverage() {
    TableFlow flow = flow(1_000, 100);
    int sent = 0;

    for (int i = 0; i < 1_000; i++) {
      for (Request request : sendAll(flow)) {
        sent++;
        flow.answered(request, 4, null, now);
      }
      now = now.plusMillis(10);
    }

    // Ten seconds, and what may be saved; each of the first requests is sent before one tells.
    assertThat(flow.units()).isEqualTo(4.0 * sent).isBetween(1_000.0, 1_500.0);
  }

  @Test
  void countsOneUnitForEachRowWhereTheStoreTellsNothing() {
    TableFlow flow = flow(1_000, 10);

    List<Request> sent = sendAll(flow);
    sent.forEach(request -> flow.answered(request, 0, null, now));
    assertThat(sent).hasSize(10);
    assertThat(flow.allows(now)).isFalse();
    now = now.plusMillis(100);

    assertThat(sendAll(flow)).hasSize(1);
  }
}
