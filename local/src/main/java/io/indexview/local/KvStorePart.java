package io.indexview.local;

import java.nio.file.Path;
import java.util.Set;

/** The embedded KV store; opened here so that it stays open while connectors come and go. */
final class KvStorePart implements Part {
  private final PartContext context;

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
    directory();
  }

  Path directory() {
    return context.directory().of("kvstore");
  }

  @Override
  public String address() {
    return directory().toString();
  }

  @Override
  public void stop() {}
}
