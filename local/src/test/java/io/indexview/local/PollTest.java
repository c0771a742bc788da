package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PollTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private static String until(Callable<Optional<String>> probe) throws Exception {
    return Poll.until(probe, LONG, () -> new IllegalStateException("waited in vain"));
  }

  @Test
  void asksUntilThereIsAnAnswer() throws Exception {
    Queue<Optional<String>> answers =
        new ArrayDeque<>(List.of(Optional.empty(), Optional.empty(), Optional.of("yes")));

    assertThat(until(answers::remove)).isEqualTo("yes");
    assertThat(answers).isEmpty();
  }

  @Test
  void endsWithWhateverTheProbeThrows() {
    for (Throwable failure : List.of(new IOException("broken"), new AssertionError("not so"))) {
      assertThatThrownBy(() -> until(() -> sneak(failure))).isSameAs(failure);
    }
  }

  @Test
  void asksAgainWhereKafkaSaysThatItMayHelp() throws Exception {
    Queue<Throwable> failures =
        new ArrayDeque<>(
            List.of(
                new DisconnectException(),
                new ExecutionException(new UnknownTopicOrPartitionException())));

    assertThat(until(() -> failures.isEmpty() ? Optional.of("yes") : sneak(failures.remove())))
        .isEqualTo("yes");
  }

  @Test
  void saysThatTheTimeIsOver() {
    IllegalStateException late = new IllegalStateException("waited in vain");

    assertThatThrownBy(() -> Poll.until(Optional::empty, Duration.ofMillis(1), () -> late))
        .isSameAs(late);
  }

  private static Optional<String> sneak(Throwable failure) throws Exception {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (Exception) failure;
  }
}
