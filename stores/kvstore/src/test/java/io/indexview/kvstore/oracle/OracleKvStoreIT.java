package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreContract;
import io.indexview.kvstore.KvStores;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.opentest4j.TestAbortedException;

/**
 * The contract on a running Oracle NoSQL store, whose nodes and name are given by {@code
 * INDEXVIEW_KV_HELPERS} (host:port,host:port) and {@code INDEXVIEW_KV_STORE}, as system properties
 * or environment variables. The server's own kvclient.jar must be first on the class path.
 */
class OracleKvStoreIT extends KvStoreContract {
  private static KvStore store;

  @BeforeAll
  @BeforeContainer
  static void open() {
    store =
        KvStores.open(
            "oracle://%s/%s"
                .formatted(setting("INDEXVIEW_KV_HELPERS"), setting("INDEXVIEW_KV_STORE")));
  }

  @AfterAll
  @AfterContainer
  static void close() {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  @Override
  protected KvStore store() {
    return store;
  }

  private static String setting(String name) {
    String value = System.getProperty(name, System.getenv(name));
    if (value == null || value.isBlank()) {
      throw new TestAbortedException(
          "Skipped: no Oracle NoSQL store is given. Set INDEXVIEW_KV_HELPERS=host:port and"
              + " INDEXVIEW_KV_STORE=name to run the contract on one.");
    }
    return value;
  }
}
