package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreContract;
import io.indexview.kvstore.KvStores;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract on a running Oracle NoSQL store, named by {@code INDEXVIEW_KV_HELPERS}
 * (host:port,host:port) and {@code INDEXVIEW_KV_STORE}. The server's own kvclient.jar must be first
 * on the class path.
 */
@ExtendWith(GivenStore.class)
@AddLifecycleHook(GivenStore.class)
class OracleKvStoreIT extends KvStoreContract {
  private static KvStore store;

  @BeforeAll
  @BeforeContainer
  static void open() {
    store = KvStores.open(GivenStore.uri().orElseThrow());
  }

  @AfterAll
  @AfterContainer
  static void close() {
    store.close();
  }

  @Override
  protected KvStore store() {
    return store;
  }
}
