package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsRequestException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Reads the metadata of objects, as many at once as there are threads for it. Every read is
 * answered, those that are not when this is closed with {@link AwsRequestException.Unavailable}.
 * Thread-safe.
 */
public final class ObjectReads implements AutoCloseable {
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
  public ObjectReads(ObjectStore store, Executor threads, Runnable answered) {
    this.store = store;
    this.threads = threads;
    this.answered = answered;
  }

  /** What is under a key at some moment from now on; for {@link #answer}. */
  public CompletableFuture<Optional<ObjectInfo>> head(String bucket, String key) {
    return read(() -> store.head(bucket, key));
  }

  /**
   * Reads, like {@link #head}, the metadata of an object that may be gone: see {@link
   * ObjectStore#headOrGone}.
   */
  public CompletableFuture<Optional<ObjectInfo>> headOrGone(String bucket, String key) {
    return read(() -> store.headOrGone(bucket, key));
  }

  /** Asks the store only if nobody cancelled the read before there was a thread for it. */
  private CompletableFuture<Optional<ObjectInfo>> read(Supplier<Optional<ObjectInfo>> request) {
    CompletableFuture<Optional<ObjectInfo>> read = new CompletableFuture<>();
    open.add(read);
    read.whenComplete(
        (found, thrown) -> {
          open.remove(read);
          answered.run();
        });
    if (closed) {
      read.completeExceptionally(closed(null));
    }
    try {
      threads.execute(() -> answer(read, request));
    } catch (RejectedExecutionException e) {
      read.completeExceptionally(closed(e));
    }
    return read;
  }

  private static void answer(
      CompletableFuture<Optional<ObjectInfo>> read, Supplier<Optional<ObjectInfo>> request) {
    if (!read.isDone()) {
      read.completeAsync(request, Runnable::run);
    }
  }

  private static AwsRequestException closed(RejectedExecutionException cause) {
    return new AwsRequestException.Unavailable("the task closed before the object was read", cause);
  }

  /**
   * The answer to a read.
   *
   * @throws AwsRequestException as the store did
   */
  public static Optional<ObjectInfo> answer(CompletableFuture<Optional<ObjectInfo>> read) {
    try {
      return read.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof AwsRequestException known) {
        throw known;
      }
      throw new AwsRequestException.Permanent("a read failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(read -> read.completeExceptionally(closed(null)));
  }
}
