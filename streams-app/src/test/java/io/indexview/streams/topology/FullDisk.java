package io.indexview.streams.topology;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.state.KeyValueStore;

/** A store whose disk takes nothing at times. */
final class FullDisk {
  private FullDisk() {}

  /**
   * @param calls is given the name of each method that is called
   */
  @SuppressWarnings("unchecked")
  static KeyValueStore<Bytes, byte[]> of(
      KeyValueStore<Bytes, byte[]> disk, BooleanSupplier isFull, Consumer<String> calls) {
    return (KeyValueStore<Bytes, byte[]>)
        Proxy.newProxyInstance(
            FullDisk.class.getClassLoader(),
            new Class<?>[] {KeyValueStore.class},
            (proxy, method, arguments) -> {
              calls.accept(method.getName());
              if (isFull.getAsBoolean() && method.getName().startsWith("put")) {
                throw new ProcessorStateException("no space left on device");
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
