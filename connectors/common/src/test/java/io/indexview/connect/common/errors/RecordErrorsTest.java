package io.indexview.connect.common.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class RecordErrorsTest {
  private static final SinkRecord RECORD =
      new SinkRecord("topic", 2, null, "key", null, "secret", 7);

  @Test
  void throwsWithCoordinatesWhenNobodyTakesReports() {
    IllegalStateException cause = new IllegalStateException("cause");
    assertThatThrownBy(() -> new RecordErrors(null).reject(RECORD, "key too long", cause))
        .isInstanceOf(DataException.class)
        .hasMessage("topic-2@7: key too long")
        .hasCause(cause);
  }

  @Test
  void reportsWithCoordinatesWhenThereIsAReporter() {
    List<String> reports = new ArrayList<>();
    RecordErrors errors =
        new RecordErrors(
            (record, error) -> {
              reports.add(error.getMessage());
              return CompletableFuture.completedFuture(null);
            });
    errors.reject(RECORD, "key too long", null);

    assertThat(reports).containsExactly("topic-2@7: key too long");
    assertThat(errors.rejected()).isEqualTo(1);
  }

  @Test
  void doublesWaitsUpToTheLongestAndStartsAgainAfterASuccess() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_000), () -> 0.999);
    assertThat(List.of(backoff.next(), backoff.next(), backoff.next()))
        .extracting(Duration::toMillis)
        .containsExactly(99L, 199L, 399L);
    for (int i = 0; i < 100; i++) {
      assertThat(backoff.next().toMillis()).isBetween(500L, 1_000L);
    }
    backoff.reset();
    assertThat(backoff.next().toMillis()).isEqualTo(99);
  }

  @Test
  void waitsHalfAtLeast() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_000), () -> 0);
    assertThat(backoff.next().toMillis()).isEqualTo(50);
  }
}
