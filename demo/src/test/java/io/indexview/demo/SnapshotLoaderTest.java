package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.demo.SnapshotLoader.Changes;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotLoaderTest {
  private static final Schema CITY =
      SchemaBuilder.record("City").fields().requiredInt("id").optionalString("name").endRecord();

  @TempDir private Path directory;
  private KvStore store;
  private SnapshotLoader loader;

  @BeforeEach
  void open() {
    store = KvStores.open("embedded:" + directory);
    loader = new SnapshotLoader(store, KeyTemplate.parse("/World/city/{id}"), CITY);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Changes apply(String lines) throws IOException {
    byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
    try (JsonLines records =
        new JsonLines("cities.ndjson", new ByteArrayInputStream(bytes), CITY)) {
      return loader.apply(records);
    }
  }

  @Test
  void appliesAFollowingSnapshotAsItsChanges() throws IOException {
    store.put(KvKey.ofMajor("World", "river", "1"), new byte[0]);
    assertThat(apply("{\"id\":1}\n{\"id\":2,\"name\":\"a\"}\n{\"id\":3}\n"))
        .isEqualTo(new Changes(3, 0, 0, 0));

    assertThat(apply("{\"id\":2,\"name\":\"b\"}\n{\"id\":3}\n{\"id\":4}\n"))
        .isEqualTo(new Changes(1, 1, 1, 1));
    assertThat(store.get(KvKey.ofMajor("World", "city", "1"))).isEmpty();
    assertThat(store.get(KvKey.ofMajor("World", "city", "4"))).isPresent();
    assertThat(store.get(KvKey.ofMajor("World", "river", "1"))).isPresent();
  }

  @Test
  void refusesTwoRecordsOfOneKey() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> apply("{\"id\":1}\n{\"id\":1}\n"))
        .withMessageContaining("cities.ndjson:2")
        .withMessageContaining("/World/city/1");
  }
}
