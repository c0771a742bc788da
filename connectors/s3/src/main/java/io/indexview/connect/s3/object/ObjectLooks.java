package io.indexview.connect.s3.object;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Looks at objects, as many at once as there are threads for it. Every look is answered, those that
 * are not when this is closed with {@link ObjectStoreException.Unavailable}. Thread-safe.
 */
public final class ObjectLooks implements AutoCloseable {
  private final ObjectStore store;
  private final Executor threads;
  private final Runnable answered;
  private final Set<CompletableFuture<Optional<ObjectInfo>>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param store stays open
   * @param threads stay open; what they drop is answered when this is closed
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
    return headAfter(Duration.ZERO, bucket, key, () -> true);
  }

  /**
   * As {@link #head}, from the end of a delay on; throws {@link CancellationException} through the
   * future if nobody waits for it any more when a thread is free.
   */
  CompletableFuture<Optional<ObjectInfo>> headAfter(
      Duration delay, String bucket, String key, BooleanSupplier isWanted) {
    CompletableFuture<Optional<ObjectInfo>> look = new CompletableFuture<>();
    open.add(look);
    look.whenComplete(
        (found, thrown) -> {
          open.remove(look);
          answered.run();
        });
    if (closed) {
      look.completeExceptionally(tooLate(null));
    }
    return look.completeAsync(
        () -> {
          if (!isWanted.getAsBoolean()) {
            throw new CancellationException("nobody waits for it");
          }
          return store.head(bucket, key);
        },
        after(delay, task -> run(task, look)));
  }

  private static Executor after(Duration delay, Executor threads) {
    return delay.isZero()
        ? threads
        : CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads);
  }

  /** A delayed task is refused on a thread that tells nobody. */
  private void run(Runnable task, CompletableFuture<?> look) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      look.completeExceptionally(tooLate(e));
    }
  }

  private static ObjectStoreException tooLate(RejectedExecutionException cause) {
    return new ObjectStoreException.Unavailable("closed while somebody wanted to look", cause);
  }

  /** Whether there will be no more looks. */
  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(look -> look.completeExceptionally(tooLate(null)));
  }
}
