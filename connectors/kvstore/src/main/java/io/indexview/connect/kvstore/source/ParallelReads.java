package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Reads single keys of a store, several at once. A major path is not read as a whole for several of
 * its keys: nobody knows how large it is.
 */
final class ParallelReads implements AutoCloseable {
  /** Fewer are read sooner than others are told to. */
  private static final int FEW_KEYS = 4;

  private final Supplier<KvStore> store;
  private final int threads;
  private ExecutorService executor;

  /**
   * @param store opens it when first asked
   * @param threads 1: the caller's
   */
  ParallelReads(Supplier<KvStore> store, int threads) {
    this.store = store;
    this.threads = threads;
  }

  /**
   * The record of each key, in their order.
   *
   * @throws KvStoreException if one of them cannot be read
   */
  List<Optional<KvRecord>> read(List<String> keys, KeyComparison comparison) {
    KvStore opened = store.get();
    KvRecord[] found = new KvRecord[keys.size()];
    int parts = keys.size() <= FEW_KEYS ? 1 : threads;
    List<Future<?>> others = new ArrayList<>();
    for (int part = 1; part < parts; part++) {
      int first = part;
      others.add(executor().submit(() -> read(opened, keys, comparison, found, first, parts)));
    }
    try {
      read(opened, keys, comparison, found, 0, parts);
    } finally {
      others.forEach(ParallelReads::await);
    }
    return Arrays.stream(found).map(Optional::ofNullable).toList();
  }

  private static void read(
      KvStore store,
      List<String> keys,
      KeyComparison comparison,
      KvRecord[] found,
      int first,
      int step) {
    for (int i = first; i < keys.size(); i += step) {
      found[i] = comparison.read(store, KvKey.fromString(keys.get(i))).orElse(null);
    }
  }

  private static void await(Future<?> read) {
    try {
      read.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KvStoreException.Unavailable("interrupted while the store was read", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KvStoreException cause) {
        throw cause;
      }
      throw new IllegalStateException("a key of the store could not be read", e.getCause());
    }
  }

  private ExecutorService executor() {
    if (executor == null) {
      executor =
          Executors.newFixedThreadPool(
              threads - 1,
              task -> {
                Thread thread = new Thread(task, "kvstore-source-reads");
                thread.setDaemon(true);
                return thread;
              });
    }
    return executor;
  }

  @Override
  public void close() {
    if (executor != null) {
      executor.shutdown();
    }
  }
}
