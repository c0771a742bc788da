package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Long polls, one after the other. The server keeps nothing between them: the position is here. */
final class RemoteChanges implements KvChanges {
  private final RemoteKvStore store;
  private final KvKeySet keys;
  private final Duration maxWait;
  private final Consumer<RemoteChanges> onClose;
  private KvChangePosition position;
  private Future<?> request;

  /**
   * Time up to which the changes are proven to be complete, as of {@link System#nanoTime}; null:
   * not known.
   */
  private Long proven;

  private boolean closed;

  RemoteChanges(
      RemoteKvStore store,
      KvKeySet keys,
      KvChangePosition position,
      Duration maxWait,
      Consumer<RemoteChanges> onClose) {
    this.store = store;
    this.keys = keys;
    this.maxWait = maxWait;
    this.position = position;
    this.onClose = onClose;
  }

  @Override
  public Batch poll(Duration timeout) {
    if (isClosed()) {
      throw new IllegalStateException("The changes are not followed any more.");
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    Batch batch;
    do {
      batch = ask(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    } while (batch.keys().isEmpty()
        && !batch.hasGap()
        && deadline - System.nanoTime() > 0
        && !isClosed());
    return batch;
  }

  @Override
  public Optional<Duration> provenAge() {
    return Optional.ofNullable(proven).map(then -> Duration.ofNanos(System.nanoTime() - then));
  }

  private Batch ask(Duration left) {
    Duration wait = left.compareTo(maxWait) < 0 ? left : maxWait;
    try {
      long now = System.nanoTime();
      WireCodec.Polled polled =
          store.awaitChanges(keys, Optional.of(position), wait, this::underway);
      position = polled.batch().next();
      proven = polled.caughtUp() ? Long.valueOf(now) : proven;
      return polled.batch();
    } catch (IllegalStateException e) {
      // The store was closed, which closes this.
      return new Batch(List.of(), false, position);
    } catch (KvStoreException e) {
      if (!isClosed()) {
        throw e;
      }
      return new Batch(List.of(), false, position);
    }
  }

  private synchronized void underway(Future<?> sent) {
    request = sent;
    if (closed) {
      sent.cancel(true);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (request != null) {
        request.cancel(true);
      }
    }
    onClose.accept(this);
  }
}
