package io.indexview.client.read.kv;

import io.indexview.client.poll.Recent;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The KV store. */
public final class KvTarget implements ViewTarget {
  private static final int GENERATIONS = 256;

  private final KvMetadata metadata;
  private final Recent<ViewGeneration, ViewRows> rows;

  /**
   * @param store stays the caller's to close
   * @param metaPrefixes first components of the keys of metadata
   */
  public KvTarget(KvStore store, List<String> metaPrefixes, int sortLimit) {
    this.metadata = new KvMetadata(store, metaPrefixes);
    this.rows =
        new Recent<>(GENERATIONS, generation -> new KvViewRows(store, generation, sortLimit));
  }

  @Override
  public Optional<ViewMetadata> metadata(String view) {
    return metadata.find(view);
  }

  @Override
  public Optional<History> history(ViewGeneration generation) {
    return metadata.history(generation);
  }

  @Override
  public Collection<String> views() {
    return metadata.views();
  }

  @Override
  public ViewRows rows(ViewGeneration generation) {
    return rows.get(generation);
  }
}
