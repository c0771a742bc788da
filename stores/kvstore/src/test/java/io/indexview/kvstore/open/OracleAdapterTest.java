package io.indexview.kvstore.open;

import static org.assertj.core.api.Assertions.assertThat;

import com.sleepycat.je.Environment;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.StoreOpener;
import io.indexview.kvstore.open.OracleAdapter.OracleAdapterLoader;
import io.indexview.kvstore.oracle.OracleStoreOpener;
import java.net.URL;
import oracle.kv.KVStore;
import org.junit.jupiter.api.Test;

class OracleAdapterTest {
  private static final String ENGINE_CLASS_OF_BOTH = "com.sleepycat.je.rep.net.DataChannel";

  private final URL client = location(KVStore.class);

  @Test
  void givesTheClientTheEngineClassesThatItBrings() throws Exception {
    try (OracleAdapterLoader loader = OracleAdapter.loader(client)) {
      Class<?> ofClient = loader.loadClass(ENGINE_CLASS_OF_BOTH);

      assertThat(location(ofClient)).isEqualTo(client);
      assertThat(ofClient.getClassLoader()).isSameAs(loader);
    }
  }

  @Test
  void leavesTheEmbeddedStoreItsEngine() throws Exception {
    assertThat(location(Class.forName(ENGINE_CLASS_OF_BOTH)))
        .isEqualTo(location(Environment.class))
        .isNotEqualTo(client);
  }

  @Test
  void sharesThePortAndNotTheAdapter() throws Exception {
    try (OracleAdapterLoader loader = OracleAdapter.loader(client)) {
      assertThat(loader.loadClass(KvStore.class.getName())).isSameAs(KvStore.class);
      assertThat(loader.loadClass(OracleStoreOpener.class.getName()))
          .isNotSameAs(OracleStoreOpener.class)
          .matches(StoreOpener.class::isAssignableFrom);
      assertThat(loader.loadClass(KVStore.class.getName())).isNotSameAs(KVStore.class);
    }
  }

  @Test
  void loadsTheClientOnce() {
    assertThat(OracleAdapter.opener()).isSameAs(OracleAdapter.opener());
  }

  private static URL location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }
}
