package io.indexview.kvstore.open;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvStoresTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/some/directory",
        "embedded:",
        "oracle://host/store",
        "oracle://host:5000",
        "oracle://host:5000,/store",
        "oracle://host:0/store",
        "oracle://host:65536/store",
        "oracle://host:5000/store/more",
        "jdbc:oracle:thin",
        "remote://host",
        "remote://host:0",
        "remote://host:7700/store",
        "remote://a host:7700",
        "remote://one:7700,two:7700",
      })
  void refusesAddressesItDoesNotKnow(String uri) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvStores.open(uri))
        .withMessageContaining("'" + uri + "'")
        .withMessageContaining("oracle://host:port")
        .withMessageContaining("remote://host:port");
  }

  @Test
  void opensADirectoryThatIsNotThereYet(@TempDir Path parent) {
    try (KvStore store = KvStores.open("embedded:" + parent.resolve("new/store"))) {
      KvKey key = KvKey.ofMajor("a");
      store.put(key, new byte[] {1});
      assertThat(store.get(key)).isPresent();
    }
  }
}
