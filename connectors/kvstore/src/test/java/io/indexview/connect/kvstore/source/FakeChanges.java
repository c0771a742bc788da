package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The log of a store's changes in memory, which a test writes and cuts. For one thread. */
public final class FakeChanges {
  private static final String SHARD = "rg1";

  private final List<KvKey> log = new ArrayList<>();
  private final int batchSize;
  private int start;
  private boolean available = true;
  private boolean waiting;
  private boolean othersNamed;
  private String unsupported;

  /**
   * @param batchSize changes that a poll passes at most
   */
  public FakeChanges(int batchSize) {
    this.batchSize = batchSize;
  }

  /** A record changed, or might have. */
  public void changed(KvKey key) {
    log.add(key);
  }

  /** What was not polled by now is lost, and readers hear of that. */
  public void lose() {
    start = log.size();
  }

  public void setAvailable(boolean available) {
    this.available = available;
  }

  /** What changed is named also while changes are not available, as if of another shard. */
  public void setOthersNamed(boolean named) {
    othersNamed = named;
  }

  /** Whether a poll waits as long as it may before it fails. */
  public void setWaiting(boolean waiting) {
    this.waiting = waiting;
  }

  /**
   * @param reason why the store cannot tell changes; null: it can
   */
  public void setUnsupported(String reason) {
    unsupported = reason;
  }

  /** Where all that was changed by now is dealt with. */
  public KvChangePosition end() {
    return position(log.size());
  }

  private static KvChangePosition position(int sequence) {
    return KvChangePosition.of(SHARD, new KvChangePosition.Entry(sequence, 0));
  }

  /** As a store opens them. */
  public KvChanges open(KvKeySet keys, Optional<KvChangePosition> from) {
    check();
    return new Reader(keys, from.map(FakeChanges::sequence).orElse(log.size()));
  }

  private static int sequence(KvChangePosition position) {
    return (int) position.shards().get(SHARD).sequence();
  }

  private void check() {
    if (unsupported != null) {
      throw new KvStoreException.ChangesUnsupported(unsupported);
    }
    if (!available) {
      throw new KvStoreException.Unavailable("no changes now");
    }
  }

  private final class Reader implements KvChanges {
    private final KvKeySet keys;
    private int next;

    private Reader(KvKeySet keys, int next) {
      this.keys = keys;
      this.next = next;
    }

    @Override
    public Batch poll(Duration timeout) {
      boolean isNamed = othersNamed && next < log.size();
      if (!available && !isNamed && waiting) {
        long deadline = System.nanoTime() + timeout.toNanos();
        long left = timeout.toNanos();
        while (left > 0) {
          LockSupport.parkNanos(left);
          left = deadline - System.nanoTime();
        }
      }
      if (available || !isNamed) {
        check();
      }
      boolean hasGap = next < start;
      next = Math.max(next, start);
      Set<KvKey> named = new LinkedHashSet<>();
      for (int i = 0; i < batchSize && next < log.size(); i++) {
        named.add(log.get(next++));
      }
      named.removeIf(key -> !keys.contains(key));
      return new Batch(List.copyOf(named), hasGap, position(next));
    }

    @Override
    public Optional<Duration> provenAge() {
      return available && next == log.size() ? Optional.of(Duration.ZERO) : Optional.empty();
    }

    @Override
    public void close() {}
  }
}
