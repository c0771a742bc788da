package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskStoreTest {
  private final List<String> calls = new ArrayList<>();
  private Runnable whileOpening = () -> {};
  private final TaskStore store =
      new TaskStore(
          () -> {
            calls.add("open");
            whileOpening.run();
            return opened();
          });

  private KvStore opened() {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              return null;
            });
  }

  @Test
  void isOpenedOnceAndClosedOnce() {
    assertThat(store.get()).isSameAs(store.get());
    store.close();
    store.close();

    assertThat(calls).containsExactly("open", "close");
  }

  @Test
  void closedStoreIsNotOpened() {
    store.close();

    assertThatThrownBy(store::get).isInstanceOf(KvStoreException.Unavailable.class);
    assertThat(calls).isEmpty();
  }

  @Test
  void isClosedAtOnceWhenItWasClosedWhileItOpened() {
    whileOpening = store::close;

    assertThatThrownBy(store::get).isInstanceOf(KvStoreException.Unavailable.class);
    assertThat(calls).containsExactly("open", "close");
  }

  @Test
  void isTriedAgainWhenItCouldNotBeOpened() {
    whileOpening =
        () -> {
          throw new KvStoreException.Unavailable("not now");
        };
    assertThatThrownBy(store::get).hasMessage("not now");
    whileOpening = () -> {};

    assertThat(store.get()).isNotNull();
    assertThat(calls).containsExactly("open", "open");
  }
}
