package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStore;
import java.beans.Introspector;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BiConsumer;

/** A store whose calls are seen before they happen, and which stays open. */
final class ObservedKvStore {
  private ObservedKvStore() {}

  /**
   * @param before is given method and arguments, of a single write its kind and key; what it
   *     throws, the call throws
   */
  static KvStore of(KvStore store, BiConsumer<String, Object[]> before) {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              if (arguments != null && arguments[0] instanceof KvOperation operation) {
                String name = Introspector.decapitalize(operation.getClass().getSimpleName());
                before.accept(name, new Object[] {operation.key()});
              } else {
                before.accept(method.getName(), arguments);
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
