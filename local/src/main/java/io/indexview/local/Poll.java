package io.indexview.local;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for something that can only be asked for. */
public final class Poll {
  private static final long INTERVAL_MS = 50;

  private Poll() {}

  /**
   * Asks every 50 ms until there is an answer, and returns it.
   *
   * @param onTimeout what to throw when there was none in time
   * @throws Exception whatever the probe throws: it ends the wait
   */
  public static <T> T until(
      Callable<Optional<T>> probe, Duration timeout, Supplier<Exception> onTimeout)
      throws Exception {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(Threads.named("poll"));
    try {
      CompletableFuture<T> answer = new CompletableFuture<>();
      Future<?> asking =
          timer.scheduleWithFixedDelay(
              () -> ask(probe, answer), 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
      try {
        return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        asking.cancel(true);
      }
    } catch (TimeoutException e) {
      Exception thrown = onTimeout.get();
      thrown.addSuppressed(e);
      throw thrown;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      timer.shutdownNow();
    }
  }

  private static <T> void ask(Callable<Optional<T>> probe, CompletableFuture<T> answer) {
    try {
      probe.call().ifPresent(answer::complete);
    } catch (Exception e) {
      answer.completeExceptionally(e);
    }
  }
}
