package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** One who follows the changes of an embedded store. It has no memory but its position. */
final class EmbeddedChanges implements KvChanges {
  private static final int BATCH_KEYS = 10_000;

  private final SharedEnvironment environment;
  private final KvKeySet wanted;
  private final byte[] prefix;
  private final Consumer<EmbeddedChanges> onClose;
  private final String shard;
  private KvChangePosition.Entry position;

  /**
   * Time up to which the changes are proven to be complete, as of {@link System#nanoTime}; null:
   * not known.
   */
  private Long proven;

  private volatile boolean closed;

  EmbeddedChanges(
      SharedEnvironment environment,
      KvKeySet wanted,
      String shard,
      KvChangePosition.Entry from,
      Consumer<EmbeddedChanges> onClose) {
    this.environment = environment;
    this.wanted = wanted;
    this.prefix = KeyCodec.encode(wanted.prefix());
    this.shard = shard;
    this.position = from;
    this.onClose = onClose;
  }

  @Override
  public Batch poll(Duration timeout) {
    if (closed) {
      throw new IllegalStateException("The changes are not followed any more.");
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    Set<KvKey> keys = new LinkedHashSet<>();
    boolean hasGap = false;
    long left;
    do {
      long now = System.nanoTime();
      left = Math.max(0, deadline - now);
      try {
        RecentChanges.Section section =
            environment.call(Handles::changes).after(position, BATCH_KEYS, left, () -> closed);
        section.keys().forEach(commit -> addWanted(commit, keys));
        hasGap = section.hasGap();
        position = section.next();
        proven = section.isLast() ? Long.valueOf(now) : proven;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new KvStoreException.Unavailable("Waiting for changes was interrupted.", e);
      } catch (KvStoreException e) {
        if (!closed) {
          throw e;
        }
      }
    } while (keys.isEmpty() && !hasGap && left > 0 && !closed);
    return new Batch(List.copyOf(keys), hasGap, KvChangePosition.of(shard, position));
  }

  @Override
  public Optional<Duration> provenAge() {
    return Optional.ofNullable(proven).map(then -> Duration.ofNanos(System.nanoTime() - then));
  }

  private void addWanted(List<byte[]> commit, Set<KvKey> keys) {
    for (byte[] encoded : commit) {
      if (KeyCodec.isWithin(encoded, prefix)) {
        KvKey key = KeyCodec.decode(encoded);
        if (wanted.contains(key)) {
          keys.add(key);
        }
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      onClose.accept(this);
      environment.wakeFollowers();
    }
  }
}
