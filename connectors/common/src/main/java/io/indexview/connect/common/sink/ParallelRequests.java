package io.indexview.connect.common.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of a batch on several threads. The requests of one batch have no row in common,
 * so that each row has one request in flight at most.
 */
public final class ParallelRequests implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ParallelRequests.class);
  private static final long CLOSE_SECONDS = 30;

  private final int concurrency;
  private final ExecutorService executor;

  /** Whether it was logged that no thread could be started. */
  private volatile boolean lacksThreads;

  /**
   * @param name for the threads
   * @param concurrency requests in flight at once
   */
  public ParallelRequests(String name, int concurrency) {
    this(name, concurrency, concurrency);
  }

  /**
   * @param name for the threads
   * @param concurrency requests of a batch in flight at once
   * @param threads for requests of all batches: of those that were begun before, too
   */
  public ParallelRequests(String name, int concurrency, int threads) {
    this.concurrency = concurrency;
    this.executor = Executors.newFixedThreadPool(threads, threads(name));
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
   * Runs all requests, one of them at a time in the caller's thread, to the end even if one of them
   * fails.
   *
   * @return their results, in their order
   * @throws RuntimeException the first failure, the others suppressed in it
   */
  public <R> List<R> run(List<? extends Callable<R>> requests) {
    List<FutureTask<R>> tasks = tasks(requests);
    Runnable thread = worker(tasks);
    execute(thread, Math.min(concurrency, tasks.size()) - 1);
    thread.run();
    return results(tasks);
  }

  /**
   * Begins all requests in their order, each as soon as a thread is free. Where fewer threads can
   * be started than configured, the caller's takes part and none is waiting when this returns.
   */
  public <R> List<? extends Future<R>> start(List<? extends Callable<R>> requests) {
    List<FutureTask<R>> tasks = tasks(requests);
    Runnable thread = worker(tasks);
    if (!execute(thread, Math.min(concurrency, tasks.size()))) {
      thread.run();
    }
    return tasks;
  }

  private static <R> List<FutureTask<R>> tasks(List<? extends Callable<R>> requests) {
    Thread caller = Thread.currentThread();
    List<FutureTask<R>> tasks = new ArrayList<>(requests.size());
    requests.forEach(request -> tasks.add(new FutureTask<>(() -> keepInterrupt(request, caller))));
    return tasks;
  }

  /** Takes the next one that no other worker has, until none is left. */
  private static Runnable worker(List<? extends FutureTask<?>> tasks) {
    AtomicInteger next = new AtomicInteger();
    return () -> {
      int number = next.getAndIncrement();
      while (number < tasks.size()) {
        tasks.get(number).run();
        number = next.getAndIncrement();
      }
    };
  }

  /** Whether as many threads could be had. */
  private boolean execute(Runnable thread, int times) {
    try {
      for (int i = 0; i < times; i++) {
        executor.execute(thread);
      }
      return true;
    } catch (OutOfMemoryError | RejectedExecutionException e) {
      if (!lacksThreads) {
        lacksThreads = true;
        LOGGER.warn(
            "Requests are made on fewer threads than configured, which is slower; let the worker's process have more threads: {}",
            e.toString());
      }
      return false;
    }
  }

  /** An interrupt of the caller stays one; the others' end with their request. */
  private static <R> R keepInterrupt(Callable<R> request, Thread caller) throws Exception {
    try {
      return request.call();
    } catch (InterruptedException e) {
      if (Thread.currentThread() == caller) {
        caller.interrupt();
      }
      throw e;
    }
  }

  /**
   * Waits for requests that were begun.
   *
   * @return their results, in their order
   * @throws RuntimeException the first failure, the others suppressed in it
   */
  public static <R> List<R> results(List<? extends Future<R>> tasks) {
    List<R> results = new ArrayList<>(tasks.size());
    Failures failures = new Failures();
    for (Future<R> task : tasks) {
      try {
        results.add(task.get());
      } catch (ExecutionException e) {
        failures.add(e.getCause());
      } catch (InterruptedException e) {
        tasks.forEach(other -> other.cancel(true));
        Thread.currentThread().interrupt();
        throw new ConnectException(
            "interrupted while writing; what was not applied comes again", e);
      }
    }
    failures.throwFirst();
    return results;
  }

  @Override
  public void close() {
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
