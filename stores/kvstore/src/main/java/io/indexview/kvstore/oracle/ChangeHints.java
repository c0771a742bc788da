package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The keys that changed since somebody asked, each once, and how far each shard has come. Bounded
 * in memory: what is too much becomes a gap. Shards fill it without ever waiting.
 */
final class ChangeHints {
  static final int MAX_BYTES = 8 << 20;

  /** What a key has in objects around its text. */
  private static final int OVERHEAD_BYTES = 200;

  private final Map<String, KvChangePosition.Entry> positions = new TreeMap<>();
  private final Map<String, String> outages = new TreeMap<>();

  /** When it was asked how far each shard's log goes, of the last time that it was read so far. */
  private final Map<String, Long> provenAt = new HashMap<>();

  private Set<KvKey> keys = new LinkedHashSet<>();
  private int bytes;
  private boolean hasGap;

  /**
   * Time up to which the polled changes are proven to be complete, as of {@link System#nanoTime};
   * null: not known.
   */
  private Long polledProven;

  private boolean closed;

  /** What a key takes of the bound. */
  static int size(KvKey key) {
    return OVERHEAD_BYTES + 2 * key.serializedLength();
  }

  /** The keys of a transaction, after which the shard has come so far. */
  synchronized void add(String shard, Collection<KvKey> changed, KvChangePosition.Entry position) {
    positions.put(shard, position);
    for (KvKey key : changed) {
      if (keys.add(key)) {
        bytes += size(key);
      }
    }
    if (bytes > MAX_BYTES) {
      setGap();
    } else if (!keys.isEmpty()) {
      notifyAll();
    }
  }

  /** A shard has come so far, and nothing that is asked for changed. */
  synchronized void passed(String shard, KvChangePosition.Entry position) {
    positions.put(shard, position);
  }

  /** A scan finds all keys that are here, too. */
  synchronized void setGap() {
    hasGap = true;
    keys = new LinkedHashSet<>();
    bytes = 0;
    notifyAll();
  }

  /** The store no longer has the shard. */
  synchronized void remove(String shard) {
    positions.remove(shard);
    outages.remove(shard);
    provenAt.remove(shard);
    setGap();
  }

  /** Why a shard cannot be followed now; null: it can. */
  synchronized void setOutage(String shard, String reason) {
    if (reason == null) {
      outages.remove(shard);
    } else {
      outages.put(shard, reason);
    }
  }

  /** Everything that was committed before this moment of {@link System#nanoTime} was added. */
  synchronized void setProven(String shard, long nanos) {
    provenAt.put(shard, nanos);
  }

  /** How long ago the moment is before which everything that was committed has been polled. */
  synchronized Optional<Duration> provenAge() {
    return Optional.ofNullable(polledProven)
        .map(proven -> Duration.ofNanos(System.nanoTime() - proven));
  }

  /**
   * @throws KvStoreException.Unavailable if nothing came and a shard cannot be followed, or if the
   *     thread is interrupted
   */
  synchronized Batch poll(long nanos) {
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    try {
      while (keys.isEmpty() && !hasGap && !closed && left > 0) {
        // Rounded up: a wait of 0 would have no end.
        wait(left / 1_000_000 + 1);
        left = deadline - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KvStoreException.Unavailable("Waiting for changes was interrupted.", e);
    }
    if (keys.isEmpty() && !hasGap && !closed && !outages.isEmpty()) {
      throw new KvStoreException.Unavailable(
          "Changes cannot be followed now: %s".formatted(String.join("; ", outages.values())));
    }
    polledProven =
        outages.isEmpty() && provenAt.keySet().equals(positions.keySet())
            ? provenAt.values().stream().min((a, b) -> Long.signum(a - b)).orElse(null)
            : null;
    List<KvKey> taken = new ArrayList<>(keys);
    boolean gap = hasGap;
    keys = new LinkedHashSet<>();
    bytes = 0;
    hasGap = false;
    return new Batch(taken, gap, new KvChangePosition(new TreeMap<>(positions)));
  }

  /** Ends a poll that waits. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
