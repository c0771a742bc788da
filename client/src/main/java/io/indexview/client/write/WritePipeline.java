package io.indexview.client.write;

import io.indexview.kvstore.KvKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Writes without waiting for the store: several writes are under way at a time, those of one major
 * path one after the other, in the order in which they were submitted. Safe for use by several
 * threads. When too many are waiting, submitting waits.
 *
 * <p>Futures fail with what the {@link Writer}'s methods throw. They are completed on the
 * pipeline's threads, so what depends on them must not block.
 */
public final class WritePipeline implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);

  private final Writer writer;
  private final List<ExecutorService> workers;
  private final Semaphore free;
  private final Duration closeTimeout;
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();

  /**
   * @param writer stays open
   * @param concurrency writes under way at a time
   * @param maxWaiting writes submitted and not done, at most
   */
  public WritePipeline(Writer writer, int concurrency, int maxWaiting) {
    this(writer, concurrency, maxWaiting, CLOSE_TIMEOUT);
  }

  /**
   * @param closeTimeout for each worker
   */
  WritePipeline(Writer writer, int concurrency, int maxWaiting, Duration closeTimeout) {
    if (concurrency < 1 || maxWaiting < 1) {
      throw new IllegalArgumentException(
          "concurrency %d and maxWaiting %d: use 1 or more".formatted(concurrency, maxWaiting));
    }
    this.writer = writer;
    this.closeTimeout = closeTimeout;
    this.free = new Semaphore(maxWaiting, true);
    this.workers = IntStream.range(0, concurrency).mapToObj(WritePipeline::worker).toList();
  }

  private static ExecutorService worker(int number) {
    return Executors.newSingleThreadExecutor(
        work -> new Thread(work, "indexview-writer-" + number));
  }

  /**
   * Submits a {@link Writer#write}.
   *
   * @throws java.util.concurrent.RejectedExecutionException if this is closed
   */
  public CompletableFuture<Optional<Written>> submit(WriteOperation operation) {
    return submit(operation.key(), () -> writer.write(operation));
  }

  /**
   * Submits a {@link Writer#execute}.
   *
   * @param operations one at least
   * @throws java.util.concurrent.RejectedExecutionException if this is closed
   */
  public CompletableFuture<List<Optional<Written>>> submit(List<WriteOperation> operations) {
    return submit(operations.get(0).key(), () -> writer.execute(operations));
  }

  /** Writes after what was submitted for the key before. */
  <T> CompletableFuture<T> submit(KvKey key, Supplier<T> write) {
    free.acquireUninterruptibly();
    ExecutorService worker = workers.get(Math.floorMod(key.major().hashCode(), workers.size()));
    boolean accepted = false;
    try {
      CompletableFuture<T> result = CompletableFuture.supplyAsync(write, worker);
      accepted = true;
      underWay.add(result);
      result.whenComplete(
          (done, failure) -> {
            underWay.remove(result);
            free.release();
          });
      return result;
    } finally {
      if (!accepted) {
        free.release();
      }
    }
  }

  /**
   * Waits for the writes that were submitted, a minute for each worker at most. The futures of
   * those that are not done then fail; such a write may have been made or not.
   */
  @Override
  public void close() {
    workers.forEach(ExecutorService::shutdown);
    try {
      for (ExecutorService worker : workers) {
        if (!worker.awaitTermination(closeTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
          worker.shutdownNow();
        }
      }
    } catch (InterruptedException e) {
      workers.forEach(ExecutorService::shutdownNow);
      Thread.currentThread().interrupt();
    }
    underWay.forEach(
        write ->
            write.completeExceptionally(
                new IllegalStateException("the pipeline was closed before this write was done")));
  }
}
