package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.ViewVerification.Counts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifications whose topic is read by a thread of its own. */
class TopicReadingTest {
  @TempDir private Path directory;

  private final SimulatedPipeline world = new SimulatedPipeline(7, true);

  /** Reads on until it is interrupted, as a consumer that waits for a transaction. */
  private static final class Waiting implements RowLog {
    private final SimulatedPipeline world;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    Waiting(SimulatedPipeline world) {
      this.world = world;
    }

    @Override
    public Map<Integer, Long> ends() {
      return world.ends();
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return world.isApplied(ends);
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      begun.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        interrupted.countDown();
        throw new InterruptException(e);
      }
    }

    @Override
    public void close() {}
  }

  /** Ends the verification once the topic is read. */
  private record Cancelling(Waiting log) implements LiveVerification.Monitor {
    @Override
    public void at(String step, Counts counts) {
      if (log.begun.getCount() == 0) {
        throw new IllegalStateException("cancelled");
      }
    }

    @Override
    public void rowRead() {}

    @Override
    public void consumed(long bytes, double readUnits) {}

    @Override
    public void pause(Duration duration) {
      log.world.pause(duration);
    }
  }

  @Test
  void endsWithTheVerification() throws Exception {
    world.settle();
    Waiting log = new Waiting(world);
    LiveVerification verification =
        new LiveVerification(log, world, directory, 4_000, id -> true, new Cancelling(log));

    assertThatThrownBy(() -> verification.run(Optional.empty(), false)).hasMessage("cancelled");

    log.interrupted.await();
    assertThat(directory).isEmptyDirectory();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void failsTheVerificationWithItsOwnFailure() {
    world.settle();
    for (Throwable failure :
        List.of(new IllegalStateException("no row"), new LinkageError("bad"))) {
      RowLog failing = new Failing(new Waiting(world), failure);
      LiveVerification verification =
          new LiveVerification(failing, world, directory, 4_000, id -> true, world);

      assertThatThrownBy(() -> verification.run(Optional.empty(), false)).isSameAs(failure);
      assertThat(directory).isEmptyDirectory();
    }
  }

  private record Failing(Waiting log, Throwable failure) implements RowLog {
    @Override
    public Map<Integer, Long> ends() {
      return log.ends();
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return log.isApplied(ends);
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      if (failure instanceof RuntimeException exception) {
        throw exception;
      }
      throw (Error) failure;
    }

    @Override
    public void close() {}
  }

  /** At rest there is nothing that threads could change. */
  @Test
  void findsTheSameWithAThreadOfItsOwn() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedPipeline running = new SimulatedPipeline(seed, true);
      running.settle();
      LiveVerification verification =
          new LiveVerification(running, running, directory, 4_000, id -> true, running);

      verification.run(Optional.empty(), false);

      assertThat(verification.cases())
          .extracting(one -> one.key())
          .containsExactlyInAnyOrderElementsOf(running.wrong());
    }
  }
}
