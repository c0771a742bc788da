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
  private final Consumer<RemoteChanges> onClose;
  private KvChangePosition position;
  private Future<?> request;
  private boolean caughtUp;
  private boolean closed;

  RemoteChanges(
      RemoteKvStore store,
      KvKeySet keys,
      KvChangePosition position,
      Consumer<RemoteChanges> onClose) {
    this.store = store;
    this.keys = keys;
    this.position = position;
    this.onClose = onClose;
  }

  @Override
  public Batch poll(Duration timeout) {
    if (isClosed()) {
      throw new IllegalStateException("The changes are not followed any more.");
    }
    caughtUp = false;
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
  public boolean isCaughtUp() {
    return caughtUp;
  }

  private Batch ask(Duration left) {
    Duration wait = left.compareTo(WireCodec.MAX_WAIT) < 0 ? left : WireCodec.MAX_WAIT;
    try {
      WireCodec.Polled polled =
          store.awaitChanges(keys, Optional.of(position), wait, this::underway);
      position = polled.batch().next();
      caughtUp = polled.caughtUp();
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
