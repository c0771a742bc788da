package io.indexview.client.verify.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class VerificationWorkerTest {
  @Test
  void goesOnAfterFailuresAndSaysOncePerOutageThatNoneBegins() {
    Queue<Boolean> fails = new ArrayDeque<>(List.of(false, true, true, false, true, true, true));
    try (LogLines log = LogLines.of(VerificationWorker.class)) {
      VerificationWorker.poll(
          pause -> fails.isEmpty(),
          () -> {
            if (fails.remove()) {
              throw fails.size() % 2 == 0
                  ? new TimeoutException("no broker")
                  : new IllegalStateException("a bug");
            }
          });

      assertThat(log.get())
          .hasSize(2)
          .containsOnly("No verification begins until their topic can be read, which is tried on");
    }
    assertThat(fails).isEmpty();
  }
}
