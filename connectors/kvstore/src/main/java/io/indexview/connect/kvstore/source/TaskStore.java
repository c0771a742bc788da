package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The store of a task, opened by whoever asks first. Closing waits for nobody who opens it, which
 * takes long where the store does not answer: what he opens then is closed at once. For any thread.
 */
final class TaskStore implements Supplier<KvStore>, AutoCloseable {
  private final Supplier<KvStore> opening;
  private final AtomicReference<KvStore> opened = new AtomicReference<>();
  private volatile boolean closed;

  TaskStore(Supplier<KvStore> opening) {
    this.opening = opening;
  }

  /**
   * @throws KvStoreException as whatever opens it; Unavailable also if this is closed
   */
  @Override
  public synchronized KvStore get() {
    KvStore store = opened.get();
    if (store == null && !closed) {
      store = opening.get();
      opened.set(store);
    }
    if (closed) {
      close();
      throw new KvStoreException.Unavailable("the task that opened the store is stopped");
    }
    return store;
  }

  @Override
  public void close() {
    closed = true;
    KvStore store = opened.getAndSet(null);
    if (store != null) {
      store.close();
    }
  }
}
