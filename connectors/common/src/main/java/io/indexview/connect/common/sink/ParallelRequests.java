package io.indexview.connect.common.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Runs the requests of a batch on several threads and returns when none is in flight any more. The
 * requests of one batch have no row in common, so that each row has one request in flight at most.
 */
public final class ParallelRequests implements AutoCloseable {
  private static final long CLOSE_SECONDS = 30;

  private final ExecutorService executor;

  /**
   * @param name for the threads
   * @param concurrency requests in flight at once; with 1 they run on the caller's thread
   */
  public ParallelRequests(String name, int concurrency) {
    this.executor =
        concurrency == 1 ? null : Executors.newFixedThreadPool(concurrency, threads(name));
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-request-" + number.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Runs all requests, to the end even if one of them fails.
   *
   * @return their results, in their order
   * @throws RuntimeException the first failure, the others suppressed in it
   */
  public <R> List<R> run(List<? extends Callable<R>> requests) {
    List<R> results = new ArrayList<>(requests.size());
    Failures failures = new Failures();
    if (executor == null || requests.size() == 1) {
      for (Callable<R> request : requests) {
        try {
          results.add(request.call());
        } catch (Exception e) {
          failures.add(e);
        }
      }
    } else {
      collect(requests, results, failures);
    }
    failures.throwFirst();
    return results;
  }

  private <R> void collect(
      List<? extends Callable<R>> requests, List<R> results, Failures failures) {
    List<Future<R>> running;
    try {
      running = executor.invokeAll(requests);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectException("interrupted while writing; what was not applied comes again", e);
    }
    for (Future<R> future : running) {
      try {
        results.add(future.get());
      } catch (ExecutionException e) {
        failures.add(e.getCause());
      } catch (InterruptedException e) {
        throw new IllegalStateException("a finished request cannot be waited for", e);
      }
    }
  }

  @Override
  public void close() {
    if (executor == null) {
      return;
    }
    executor.shutdown();
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private static final class Failures {
    private Throwable first;

    private void add(Throwable failure) {
      if (first == null) {
        first = failure;
      } else if (first != failure) {
        first.addSuppressed(failure);
      }
    }

    private void throwFirst() {
      if (first instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (first instanceof Error error) {
        throw error;
      }
      if (first != null) {
        throw new ConnectException(first.getMessage(), first);
      }
    }
  }
}
