package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Reads keys of a store, several at once. Many of one major path are read in one pass over what
 * lies between them, which ends where that is too much: nobody knows how large a major path is.
 * What a pass did not find is read once more by its key, so that nothing depends on the order of
 * keys.
 */
final class ParallelReads implements AutoCloseable {
  /** Most keys that the calling thread alone reads sooner than several threads do. */
  private static final int FEW_KEYS = 4;

  /**
   * Keys of one major path from which on they are read in one pass, which costs about as much as
   * some reads.
   */
  static final int MANY_TOGETHER = 4;

  /** Records that a pass reads at most for each that it is to find. */
  static final int MAX_FOR_ONE = 4;

  private final Supplier<KvStore> store;
  private final int threads;
  private ExecutorService executor;

  /**
   * What was read.
   *
   * @param records of the keys, in their order
   * @param others records that lay between them
   * @param otherBytes of their values
   */
  record Found(List<Optional<KvRecord>> records, long others, long otherBytes) {}

  /**
   * @param store opens it when first asked
   * @param threads 1: the caller's
   */
  ParallelReads(Supplier<KvStore> store, int threads) {
    this.store = store;
    this.threads = threads;
  }

  /**
   * The record of each key.
   *
   * @throws KvStoreException if one of them cannot be read
   */
  Found read(List<String> keys, KeyComparison comparison) {
    Reading reading =
        new Reading(store.get(), comparison, keys.stream().map(KvKey::fromString).toList());
    int parts = keys.size() <= FEW_KEYS ? 1 : threads;
    List<Future<?>> others = new ArrayList<>();
    for (int part = 1; part < parts; part++) {
      int first = part;
      others.add(executor().submit(() -> reading.read(first, parts)));
    }
    try {
      reading.read(0, parts);
    } finally {
      others.forEach(ParallelReads::await);
    }
    return reading.found();
  }

  /** The keys that are read for one call, by any number of threads. */
  private static final class Reading {
    private final KvStore store;
    private final KeyComparison comparison;
    private final List<KvKey> keys;
    private final KvRecord[] found;
    private final LongAdder others = new LongAdder();
    private final LongAdder otherBytes = new LongAdder();

    /** Requests, each as the numbers of its keys. */
    private final List<List<Integer>> requests = new ArrayList<>();

    Reading(KvStore store, KeyComparison comparison, List<KvKey> keys) {
      this.store = store;
      this.comparison = comparison;
      this.keys = keys;
      this.found = new KvRecord[keys.size()];
      Map<List<String>, List<Integer>> byMajorPath = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        byMajorPath.computeIfAbsent(keys.get(i).major(), major -> new ArrayList<>()).add(i);
      }
      for (List<Integer> ofOne : byMajorPath.values()) {
        if (ofOne.size() >= MANY_TOGETHER) {
          requests.add(ofOne);
        } else {
          ofOne.forEach(key -> requests.add(List.of(key)));
        }
      }
    }

    void read(int first, int step) {
      for (int i = first; i < requests.size(); i += step) {
        List<Integer> request = requests.get(i);
        if (request.size() > 1) {
          readTogether(request);
        }
        for (int key : request) {
          if (found[key] == null) {
            found[key] = comparison.read(store, keys.get(key)).orElse(null);
          }
        }
      }
    }

    private void readTogether(List<Integer> request) {
      Map<KvKey, Integer> wanted = new HashMap<>();
      request.forEach(number -> wanted.put(keys.get(number), number));
      int max = MAX_FOR_ONE * wanted.size();
      try (KvIterator<KvRecord> records =
          store.iterator(
              around(wanted.keySet()),
              KvDirection.FORWARD,
              KvConsistency.ABSOLUTE,
              Math.min(SourceSettings.MAX_FETCH_SIZE, 2 * wanted.size()))) {
        for (int read = 0; read < max && !wanted.isEmpty() && records.hasNext(); read++) {
          KvRecord record = records.next();
          Integer number = wanted.remove(record.key());
          if (number == null) {
            others.increment();
            otherBytes.add(record.value().length);
          } else if (comparison.isOwn(record)) {
            found[number] = record;
          }
        }
      }
    }

    /** What has all of the keys, which share their major path, and not much more. */
    private static KvSelection around(Set<KvKey> wanted) {
      KvKey parent = new KvKey(wanted.iterator().next().major(), List.of());
      List<String> below =
          wanted.stream()
              .sorted()
              .filter(key -> !key.minor().isEmpty())
              .map(key -> key.minor().get(0))
              .toList();
      String first = below.get(0);
      String last = below.get(below.size() - 1);
      return new KvSelection(
          parent,
          // As texts they may be in another order than in the store, which no range can be.
          first.compareTo(last) <= 0 ? KvRange.closed(first, last) : KvRange.ALL,
          wanted.contains(parent));
    }

    Found found() {
      return new Found(
          Arrays.stream(found).map(Optional::ofNullable).toList(), others.sum(), otherBytes.sum());
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
