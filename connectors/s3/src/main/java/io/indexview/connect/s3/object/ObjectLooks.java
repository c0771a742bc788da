package io.indexview.connect.s3.object;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Looks at objects, as many at once as there are threads for it. Thread-safe. */
public final class ObjectLooks {
  private final ObjectStore store;
  private final Executor threads;
  private final Runnable answered;

  /**
   * @param store stays open
   * @param answered called after each answer, on whatever thread
   */
  public ObjectLooks(ObjectStore store, Executor threads, Runnable answered) {
    this.store = store;
    this.threads = threads;
    this.answered = answered;
  }

  /**
   * What is under a key at some moment from now on; completes with {@link ObjectStoreException}.
   */
  public CompletableFuture<Optional<ObjectInfo>> head(String bucket, String key) {
    return look(() -> store.head(bucket, key), threads);
  }

  /**
   * As {@link #head}, from the end of a delay on; throws {@link CancellationException} through the
   * future if nobody waits for it any more when a thread is free.
   */
  CompletableFuture<Optional<ObjectInfo>> headAfter(
      Duration delay, String bucket, String key, BooleanSupplier isWanted) {
    return look(
        () -> {
          if (!isWanted.getAsBoolean()) {
            throw new CancellationException("nobody waits for it");
          }
          return store.head(bucket, key);
        },
        delay.isZero()
            ? threads
            : CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads));
  }

  private CompletableFuture<Optional<ObjectInfo>> look(
      Supplier<Optional<ObjectInfo>> question, Executor executor) {
    CompletableFuture<Optional<ObjectInfo>> look;
    try {
      look = CompletableFuture.supplyAsync(question, executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new ObjectStoreException.Unavailable("closed while somebody wanted to look", e));
    }
    look.whenComplete((found, thrown) -> answered.run());
    return look;
  }
}
