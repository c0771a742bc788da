package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A store that fails at random: before a call, after it, or as if a condition did not hold. */
final class FaultyKvStore {
  private static final int ONE_IN = 12;

  private final KvStore store;
  private final Random random;
  private final Runnable between;
  private boolean isFaulty = true;

  /**
   * @param between runs before each call
   */
  FaultyKvStore(KvStore store, Random random, Runnable between) {
    this.store = store;
    this.random = random;
    this.between = between;
  }

  void heal() {
    isFaulty = false;
  }

  KvStore open() {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> call(method, arguments));
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("close")) {
      return null;
    }
    between.run();
    if (isHit()) {
      throw new KvStoreException.Unavailable("nothing was done");
    }
    if (method.getName().equals("write")
        && !(arguments[0] instanceof KvOperation.Put)
        && !(arguments[0] instanceof KvOperation.Delete)
        && isHit()) {
      return Optional.empty();
    }
    if (method.getName().equals("execute")
        && ((List<?>) arguments[0]).get(0) instanceof KvOperation.PutIfVersion first
        && isHit()) {
      throw new KvExecutionException(0, first, "something else", null);
    }
    Object result = invoke(method, arguments);
    if (isHit()) {
      throw new KvStoreException.Unavailable("no answer, but it was done");
    }
    return result;
  }

  private Object invoke(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private boolean isHit() {
    return isFaulty && random.nextInt(ONE_IN) == 0;
  }
}
