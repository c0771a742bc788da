package io.indexview.local;

import io.indexview.local.Lifecycle.Threads;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.RetriableException;

/** Waits for something that can only be asked for. */
public final class Poll {
  private static final long INTERVAL_MS = 50;

  private Poll() {}

  /**
   * Asks every 50 ms until there is an answer, and returns it. Where Kafka says that another try
   * may help, there is one.
   *
   * @param onTimeout what to throw when there was none in time
   * @throws Exception whatever else the probe throws, also an error: it ends the wait
   */
  public static <T> T until(
      Callable<Optional<T>> probe, Duration timeout, Supplier<Exception> onTimeout)
      throws Exception {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(Threads.named("poll"));
    Question<T> question = new Question<>(probe);
    try {
      Future<?> asking =
          timer.scheduleWithFixedDelay(question, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
      try {
        return question.answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        asking.cancel(true);
      }
    } catch (TimeoutException e) {
      Exception thrown = onTimeout.get();
      thrown.addSuppressed(Objects.requireNonNullElse(question.retried, e));
      throw thrown;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      timer.shutdownNow();
    }
  }

  private static final class Question<T> implements Runnable {
    private final Callable<Optional<T>> probe;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private volatile Throwable retried;

    private Question(Callable<Optional<T>> probe) {
      this.probe = probe;
    }

    @Override
    public void run() {
      // Whatever is thrown past a timer ends its task without a word; this keeps errors as well.
      FutureTask<Void> asked =
          new FutureTask<>(
              () -> {
                probe.call().ifPresent(answer::complete);
                return null;
              });
      asked.run();
      try {
        asked.get();
      } catch (ExecutionException e) {
        failed(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void failed(Throwable failure) {
      // The admin client hides its failures in those of a future.
      if (failure instanceof RetriableException
          || failure.getCause() instanceof RetriableException) {
        retried = failure;
      } else {
        answer.completeExceptionally(failure);
      }
    }
  }
}
