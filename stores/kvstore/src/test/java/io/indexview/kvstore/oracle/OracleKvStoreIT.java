package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreContract;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract on a running Oracle NoSQL store, named by {@code INDEXVIEW_KV_HELPERS}
 * (host:port,host:port) and {@code INDEXVIEW_KV_STORE}, a secured one's login properties file by
 * {@code INDEXVIEW_KV_SECURITY_FILE}; the server's own client, with what it needs beside it, by
 * {@code -Dkvclient.jar=…/lib/kvclient.jar}.
 */
@ExtendWith(GivenStore.class)
@AddLifecycleHook(GivenStore.class)
class OracleKvStoreIT extends KvStoreContract {
  private static KvStore store;

  @BeforeAll
  @BeforeContainer
  static void open() {
    store = KvStores.open(GivenStore.config());
  }

  @AfterAll
  @AfterContainer
  static void close() {
    if (store != null) {
      store.close();
    }
  }

  @Override
  protected KvStore store() {
    return store;
  }

  /** Each reader has a thread, named after the shard whose log it reads. */
  @Override
  protected boolean isReadOnce() {
    Set<String> shards = new HashSet<>();
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("indexview-changes-"))
        .allMatch(shards::add);
  }

  @Override
  protected KvChanges follow(KvKeySet keys, Optional<KvChangePosition> from) {
    try {
      return super.follow(keys, from);
    } catch (KvStoreException.ChangesUnsupported e) {
      return Assumptions.abort(e.getMessage());
    }
  }
}
