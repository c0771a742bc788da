package io.indexview.benchmarks.data;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.nio.file.Path;

/** An embedded store under a directory; whoever opens it in this process shares it. */
public record BenchStore(Path directory) {
  public String uri() {
    return "embedded:" + directory.resolve("store");
  }

  /** One more handle on it, to be closed. */
  public KvStore open(KvDurability durability) {
    return KvStores.open(KvStoreConfig.of(uri()).withDurability(durability));
  }

  /** Puts people into it. */
  public void load(int people) {
    try (KvStore store = open(KvDurability.WRITE_NO_SYNC)) {
      for (int i = 0; i < people; i++) {
        store.put(KvKey.fromString(People.key(i)), People.bytes(People.person(i, 0)));
      }
    }
  }
}
