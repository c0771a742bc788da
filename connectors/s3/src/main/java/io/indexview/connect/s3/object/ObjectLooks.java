package io.indexview.connect.s3.object;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

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
    CompletableFuture<Optional<ObjectInfo>> look;
    try {
      look = CompletableFuture.supplyAsync(() -> store.head(bucket, key), threads);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new ObjectStoreException.Unavailable("closed while somebody wanted to look", e));
    }
    look.whenComplete((found, thrown) -> answered.run());
    return look;
  }
}
