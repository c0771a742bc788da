package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.source.StopLatch;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for old tombstones from time to time, on a thread of its own. Of the tasks of a sink the
 * one does it that has the first partition of the view's topic. For one thread.
 */
final class TombstoneRemovals implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(TombstoneRemovals.class);
  private static final long CLOSE_SECONDS = 30;

  /** A store that is away is waited for on the task's only thread each time. */
  static final Duration OPEN_AGAIN = Duration.ofMinutes(1);

  private final Settings settings;
  private final Predicate<KvLayout> hasTombstones;
  private final List<String> metadataPrefixes;
  private final Time time;
  private final StopLatch stop = new StopLatch();
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "kvstore-sink-tombstones");
            thread.setDaemon(true);
            return thread;
          });
  private final Timer untilNextScan;
  private Future<?> run;

  /**
   * How tombstones are kept.
   *
   * @param retention age from which on they no longer count and are removed
   * @param interval from the start of one scan to that of the next
   * @param rate records that are read in a second at most
   */
  record Settings(Duration retention, Duration interval, int rate) {}

  /**
   * @param hasTombstones of which layouts there may be tombstones
   * @param metadataPrefixes where the views are found
   */
  TombstoneRemovals(
      Settings settings,
      Predicate<KvLayout> hasTombstones,
      List<String> metadataPrefixes,
      Time time) {
    this.settings = settings;
    this.hasTombstones = hasTombstones;
    this.metadataPrefixes = metadataPrefixes;
    this.time = time;
    this.untilNextScan = new Timer(time);
  }

  /**
   * Begins a scan if it is time, and none is under way.
   *
   * @param store asked on this thread only
   * @param assigned the task's partitions; with none nothing begins
   * @throws RuntimeException that a scan failed with, unless it was the store's
   */
  void settle(Supplier<KvStore> store, Set<TopicPartition> assigned) {
    if (!untilNextScan.isExpired() || assigned.isEmpty() || isRunning()) {
      return;
    }
    KvStore opened;
    try {
      opened = store.get();
    } catch (KvStoreException.Unavailable e) {
      LOGGER.warn("Old tombstones stay until the store is available: {}", e.getMessage());
      untilNextScan.reset(OPEN_AGAIN);
      return;
    }
    untilNextScan.reset(settings.interval());
    long before = time.instant().minus(settings.retention()).toEpochMilli();
    Set<TopicPartition> ours = Set.copyOf(assigned);
    run = executor.submit(() -> scan(opened, ours, before));
  }

  /** Whether a scan is under way. */
  boolean isRunning() {
    if (run == null || !run.isDone()) {
      return run != null;
    }
    try {
      run.get();
      return false;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new ConnectException("looking for old tombstones failed", e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException("a finished scan cannot be waited for", e);
    }
  }

  private Void scan(KvStore store, Set<TopicPartition> ours, long before)
      throws InterruptedException {
    try {
      for (ViewGeneration generation : generations(store)) {
        KvLayout layout = KvLayout.of(generation);
        boolean isOurs = ours.contains(new TopicPartition(generation.viewTopic(), 0));
        if (isOurs && hasTombstones.test(layout) && !stop.stopped()) {
          new TombstoneRemoval(store, layout, settings.rate()).run(before, stop);
        }
      }
    } catch (KvStoreException e) {
      LOGGER.warn(
          "Old tombstones stay until the next scan, in {}: {}",
          settings.interval(),
          e.getMessage());
    }
    return null;
  }

  private Collection<ViewGeneration> generations(KvStore store) {
    List<ViewGeneration> generations = new ArrayList<>();
    for (String prefix : metadataPrefixes) {
      try (KvIterator<KvRecord> records =
          store.storeIterator(KvScan.under(KvKey.ofMajor(prefix)))) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          if (!KvMetadataStore.isGuard(record)) {
            generations.addAll(generations(record));
          }
        }
      }
    }
    return generations;
  }

  private static List<ViewGeneration> generations(KvRecord record) {
    try {
      return ViewMetadata.fromJson(new String(record.value(), StandardCharsets.UTF_8))
          .generations()
          .stream()
          .map(ViewMetadata.Generation::generation)
          .filter(generation -> generation.definition().target() instanceof Target.Kv)
          .toList();
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "{} cannot be read, its view keeps old tombstones: {}", record.key(), e.getMessage());
      return List.of();
    }
  }

  @Override
  public void close() {
    stop.stop();
    executor.shutdown();
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOGGER.warn(
            "A scan for old tombstones waits for the store {} s after its task was stopped; it ends with the request, and the next task scans again",
            CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
