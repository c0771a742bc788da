package io.indexview.connect.kvstore.sink;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/**
 * An embedded store for all tries of a property, which JUnit's temporary directories do not reach.
 */
record TemporaryStore(Path directory, KvStore store) {
  static TemporaryStore open() throws IOException {
    Path directory = Files.createTempDirectory("kv-sink");
    return new TemporaryStore(
        directory,
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory)
                .withCacheBytes(8L << 20)
                .withDurability(KvDurability.WRITE_NO_SYNC)));
  }

  void close() throws IOException {
    store.close();
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
