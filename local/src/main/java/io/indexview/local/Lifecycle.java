package io.indexview.local;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Starts parts as soon as what they need runs, and stops them in the opposite order. Used by one
 * thread at a time.
 */
final class Lifecycle {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

  private final Map<PartName, Supplier<? extends Part>> factories = new EnumMap<>(PartName.class);
  private final Map<PartName, Part> running =
      Collections.synchronizedMap(new EnumMap<>(PartName.class));
  private final ExecutorService executor = Executors.newCachedThreadPool(Threads.named("parts"));
  private final Consumer<String> progress;

  Lifecycle(Consumer<String> progress) {
    this.progress = progress;
  }

  /** Adds a part; those that it needs come before it. */
  void add(PartName name, Supplier<? extends Part> factory) {
    factories.put(name, factory);
  }

  /** Starts all parts. If one fails, the others are stopped and its failure is thrown. */
  void startAll() {
    Map<PartName, CompletableFuture<Void>> started = new EnumMap<>(PartName.class);
    factories.forEach(
        (name, factory) -> {
          Part part = factory.get();
          CompletableFuture<?>[] needed =
              part.needs().stream()
                  .filter(started::containsKey)
                  .map(started::get)
                  .toArray(CompletableFuture<?>[]::new);
          started.put(
              name,
              CompletableFuture.allOf(needed).thenRunAsync(() -> start(name, part), executor));
        });
    try {
      CompletableFuture.allOf(started.values().toArray(CompletableFuture<?>[]::new)).join();
    } catch (CompletionException e) {
      StackException failure = startFailure(e);
      stopAll().forEach(failure::addSuppressed);
      throw failure;
    }
  }

  private static StackException startFailure(CompletionException e) {
    return e.getCause() instanceof StackException failure
        ? failure
        : new StackException("the stack cannot start: " + e.getCause(), e.getCause());
  }

  private void start(PartName name, Part part) {
    long begin = System.nanoTime();
    running.put(name, part);
    try {
      part.start();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while starting " + name.label(), e);
    } catch (StackException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("cannot start %s: %s".formatted(name.label(), e), e);
    }
    progress.accept(
        "%s ready in %.1f s at %s".formatted(name.label(), secondsSince(begin), part.address()));
  }

  private static double secondsSince(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  /** The part of this name, if it runs. */
  Part get(PartName name) {
    Part part = running.get(name);
    if (part == null) {
      throw new IllegalStateException(
          "the stack runs without %s: it was not asked for, or has stopped"
              .formatted(name.label()));
    }
    return part;
  }

  boolean runs(PartName name) {
    return running.containsKey(name);
  }

  /** Stops a part and starts a new one in its place. */
  void restart(PartName name) {
    get(name);
    StackException failure = stop(name).join();
    if (failure != null) {
      throw failure;
    }
    start(name, factories.get(name).get());
  }

  /** Stops everything that runs, each part after those that use it; returns what went wrong. */
  List<StackException> stopAll() {
    Map<PartName, Part> parts = new EnumMap<>(PartName.class);
    parts.putAll(running);
    Map<PartName, CompletableFuture<StackException>> stopped = new EnumMap<>(PartName.class);
    parts.keySet().forEach(name -> stopAfterUsers(name, parts, stopped));
    return stopped.values().stream().map(CompletableFuture::join).filter(Objects::nonNull).toList();
  }

  private CompletableFuture<StackException> stopAfterUsers(
      PartName name,
      Map<PartName, Part> parts,
      Map<PartName, CompletableFuture<StackException>> stopped) {
    CompletableFuture<StackException> known = stopped.get(name);
    if (known != null) {
      return known;
    }
    CompletableFuture<?>[] users =
        parts.values().stream()
            .filter(part -> part.uses().contains(name))
            .map(part -> stopAfterUsers(part.name(), parts, stopped))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture<StackException> stop =
        CompletableFuture.allOf(users).thenComposeAsync(done -> stop(name), executor);
    stopped.put(name, stop);
    return stop;
  }

  /** Completes with null, or with what went wrong; never exceptionally, and within the limit. */
  private CompletableFuture<StackException> stop(PartName name) {
    Part part = running.get(name);
    return CompletableFuture.supplyAsync(() -> stop(name, part), executor)
        .completeOnTimeout(
            new StackException(
                "%s did not stop within %d s".formatted(name.label(), STOP_LIMIT.toSeconds())),
            STOP_LIMIT.toMillis(),
            TimeUnit.MILLISECONDS)
        .whenComplete((failure, none) -> running.remove(name));
  }

  private StackException stop(PartName name, Part part) {
    try {
      part.stop();
      progress.accept(name.label() + " stopped");
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new StackException("interrupted while stopping " + name.label(), e);
    } catch (Exception e) {
      return new StackException("cannot stop %s: %s".formatted(name.label(), e), e);
    }
  }

  /** Gives the threads back; nothing can be started any more. */
  void close() {
    executor.shutdownNow();
  }

  /** Named daemon threads: none of them keeps a process alive. */
  static final class Threads {
    private Threads() {}

    static ThreadFactory named(String name) {
      AtomicInteger count = new AtomicInteger();
      return task -> {
        Thread thread = new Thread(task, "indexview-" + name + "-" + count.getAndIncrement());
        thread.setDaemon(true);
        return thread;
      };
    }
  }
}
