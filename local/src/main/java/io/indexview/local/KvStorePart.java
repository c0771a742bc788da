package io.indexview.local;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStores;
import java.nio.file.Path;
import java.util.Set;

/** The embedded KV store; opened here so that it stays open while connectors come and go. */
final class KvStorePart implements Part {
  private final PartContext context;
  private KvStore store;

  KvStorePart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.KV_STORE;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() {
    store = KvStores.open(address());
  }

  @Override
  public String address() {
    Path directory = context.directory().of("kvstore");
    return "embedded:" + directory;
  }

  @Override
  public void stop() {
    if (store != null) {
      store.close();
    }
  }
}
