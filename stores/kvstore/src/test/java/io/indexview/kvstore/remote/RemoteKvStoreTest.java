package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreContract;
import io.indexview.kvstore.embedded.TemporaryDirectory;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on an embedded store that is served. */
class RemoteKvStoreTest extends KvStoreContract {
  private static TemporaryDirectory directory;
  private static KvStore embedded;
  private static KvStoreServer server;
  private static KvStore store;

  @BeforeAll
  @BeforeContainer
  static void open() throws IOException {
    directory = TemporaryDirectory.create();
    embedded =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory.path())
                .withDurability(KvDurability.WRITE_NO_SYNC));
    server =
        KvStoreServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), durability -> embedded);
    store = KvStores.open("remote://localhost:" + server.port());
  }

  @AfterAll
  @AfterContainer
  static void close() {
    store.close();
    server.close();
    embedded.close();
    directory.delete();
  }

  @Override
  protected KvStore store() {
    return store;
  }
}
