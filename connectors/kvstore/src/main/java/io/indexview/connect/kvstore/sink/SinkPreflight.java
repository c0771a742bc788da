package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.preflight.Preflight;
import io.indexview.connect.kvstore.config.KvStoreFragment;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.Target;
import java.util.UUID;
import java.util.function.Supplier;

/** Tries out whether the store of a configuration can be read and written. */
final class SinkPreflight {
  private final KvStoreSinkConfig config;
  private final Supplier<KvStore> opener;

  /**
   * @param opener opens the store as a task does
   */
  SinkPreflight(KvStoreSinkConfig config, Supplier<KvStore> opener) {
    this.config = config;
    this.opener = opener;
  }

  /** What is wrong, on its key; nothing if nobody is to be asked. */
  ConfigProblems ask() {
    // An embedded store is there when it is opened, and only the worker of the task may do so.
    if (!config.preflight().isWanted() || config.store().isEmbedded()) {
      return new ConfigProblems();
    }
    return new Preflight(config.preflight().timeout())
        .with(KvStoreFragment.URI_CONFIG, problems -> askStore())
        .ask();
  }

  /**
   * Deletes what is not there, beside the metadata: the store lets only those do so who may write,
   * and only while a majority of its nodes takes writes.
   */
  private void askStore() {
    String beside = config.metadataPrefixes().get(0) + Target.Kv.HISTORY_SUFFIX;
    KvKey nothing = KvKey.ofMajor(beside, "preflight-" + UUID.randomUUID());
    try (KvStore store = opener.get()) {
      store.get(nothing);
      store.delete(nothing);
    }
  }
}
