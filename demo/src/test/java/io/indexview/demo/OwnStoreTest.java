package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.kvstore.KvStoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnStoreTest {
  private static final String ADDRESS = "kv-1:5000,kv-2:5000/orders";

  @TempDir private Path data;

  private void assertRefused(String address, Path client, Path security, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OwnStore.of(data, address, client, security))
        .withMessageContaining(why);
  }

  @Test
  void isNoneUnlessItIsNamed() {
    assertThat(OwnStore.of(data, null, null, null)).isEmpty();
    assertRefused(null, data, null, "add --kv-store HOST:PORT/STORE");
  }

  @Test
  void isOpenedWithItsNodesAndLoginFile() throws IOException {
    Path login = Files.createFile(data.resolve("login"));

    KvStoreConfig config = OwnStore.of(data, ADDRESS, null, login).orElseThrow().open();

    assertThat(config.uri()).isEqualTo("oracle://" + ADDRESS);
    assertThat(config.securityFile()).hasValue(login.toAbsolutePath());
    assertThat(OwnStore.of(data, "oracle://kv-1:5000/orders", null, null)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "orders", "kv-1/orders", "kv-1:5000", "kv-1:5000/", "a:1,/s", "a:1/b/c"})
  void refusesWhatIsNoAddress(String address) {
    assertRefused(address, null, null, "use HOST:PORT/STORE");
  }

  @Test
  void saysWhichFilesAreMissing() {
    assertRefused(ADDRESS, data, null, "there is no kvclient.jar; use the directory lib");
    assertRefused(ADDRESS, null, data.resolve("none"), "the file cannot be read");
  }

  @Test
  void staysWithTheData() throws IOException {
    Path login = Files.createFile(data.resolve("login"));
    OwnStore store = OwnStore.of(data, ADDRESS, null, login).orElseThrow();
    store.save(data);

    assertThat(OwnStore.of(data, null, null, null))
        .hasValue(
            new OwnStore("kv-1:5000,kv-2:5000", "orders", Optional.empty(), Optional.of(login)));
    assertThat(OwnStore.of(data, "kv-3:5000/orders", null, null).orElseThrow().helpers())
        .isEqualTo("kv-3:5000");
    assertRefused("kv-1:5000/other", null, null, "the stack works on store orders");
  }

  @Test
  void doesNotReplaceTheEmbeddedStoreOfAStack() throws IOException {
    Files.writeString(
        data.resolve("pipeline.json"),
        "{\"viewsDir\": \"views\", \"fileKeys\": \".*\", \"fileAttributes\": \"\", \"recordSets\": []}");

    assertRefused(ADDRESS, null, null, "has the embedded store; use another --data DIR");
  }
}
