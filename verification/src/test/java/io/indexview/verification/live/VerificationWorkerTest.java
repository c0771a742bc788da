package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
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

  private static ViewVerification asked(String view, String id, Status status, long atMs) {
    return new ViewVerification(view, id, status, VerificationOptions.DEFAULT, atMs, Run.NONE);
  }

  @Test
  void beginsNoneBesideAnotherOfItsView() {
    List<ViewVerification> all =
        List.of(
            asked("a", "a-3", Status.REQUESTED, 9),
            asked("b", "b-2", Status.RUNNING, 8),
            asked("a", "a-2", Status.REQUESTED, 7),
            asked("c", "c-1", Status.REQUESTED, 6),
            // By a clock that is late.
            asked("b", "b-1", Status.REQUESTED, 5),
            asked("a", "a-1", Status.DONE, 4));

    assertThat(VerificationWorker.oneOfEachView(all))
        .extracting(ViewVerification::id)
        .containsExactly("b-2", "c-1", "a-2");
  }
}
