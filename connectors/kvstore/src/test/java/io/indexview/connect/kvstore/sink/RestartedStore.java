package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Random;

/**
 * An embedded store whose engine is closed at some call and opened again some calls later. What
 * clients see of it is what they see of a store that is stopped somewhere else: each handle and
 * each scan that was open answers that the store is not available, and handles work again later.
 */
final class RestartedStore implements AutoCloseable {
  private static final int MAX_CALLS_UP = 400;
  private static final int MAX_CALLS_DOWN = 40;

  private final Path directory;
  private final Random random;
  private KvStore store;
  private int callsLeft;
  private int stops;
  private boolean isStopping = true;

  RestartedStore(Path directory, Random random) {
    this.directory = directory;
    this.random = random;
    start();
  }

  private synchronized void start() {
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory)
                .withCacheBytes(8L << 20)
                .withDurability(KvDurability.WRITE_NO_SYNC));
    callsLeft = 1 + random.nextInt(MAX_CALLS_UP);
  }

  synchronized int stops() {
    return stops;
  }

  /** Stops no longer. */
  synchronized void stay() {
    isStopping = false;
    if (store == null) {
      start();
    }
  }

  /** A handle as a client has it. */
  KvStore open() {
    running();
    return proxy(KvStore.class, (method, arguments) -> invoke(method, running(), arguments));
  }

  /** The engine of this moment; one call fewer until it stops, or until it starts again. */
  private synchronized KvStore running() {
    if (isStopping && --callsLeft < 0) {
      if (store == null) {
        start();
      } else {
        store.close();
        store = null;
        stops++;
        callsLeft = random.nextInt(MAX_CALLS_DOWN);
      }
    }
    if (store == null) {
      throw new KvStoreException.Unavailable("the store is stopped");
    }
    return store;
  }

  private Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      Object result = method.invoke(target, arguments);
      return result instanceof KvIterator<?>
          ? proxy(KvIterator.class, (next, none) -> invoke(next, result, none))
          : result;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalStateException closed) {
        throw new KvStoreException.Unavailable("the store stopped meanwhile", closed);
      }
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getName().equals("close") ? null : handler.invoke(method, arguments)));
  }

  private interface Handler {
    Object invoke(Method method, Object[] arguments) throws Throwable;
  }

  @Override
  public synchronized void close() {
    if (store != null) {
      store.close();
    }
  }
}
