package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreContract;
import io.indexview.kvstore.open.KvStores;
import java.nio.file.Path;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on the embedded store. Two engines run it: one for tests, one for properties. */
class EmbeddedKvStoreTest extends KvStoreContract {
  private static TemporaryDirectory directory;
  private static KvStore store;

  @BeforeAll
  @BeforeContainer
  static void open() {
    directory = TemporaryDirectory.create();
    store = KvStores.open(config(directory.path()));
  }

  @AfterAll
  @AfterContainer
  static void close() {
    store.close();
    directory.delete();
  }

  @Override
  protected KvStore store() {
    return store;
  }

  static KvStoreConfig config(Path path) {
    return KvStoreConfig.of("embedded:" + path).withDurability(KvDurability.WRITE_NO_SYNC);
  }
}
