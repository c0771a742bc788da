package io.indexview.server;

import io.indexview.client.admin.SourceNotFoundException;
import io.indexview.client.admin.SourceStatus;
import io.indexview.server.source.SourceCatalog;
import java.util.ArrayList;
import java.util.List;

/** Sources in memory. */
public final class FakeSources implements SourceCatalog {
  private final List<SourceStatus> all = new ArrayList<>();

  void clear() {
    all.clear();
  }

  public void add(SourceStatus source) {
    all.add(source);
  }

  @Override
  public List<SourceStatus> list() {
    return List.copyOf(all);
  }

  @Override
  public void retire(String source) {
    if (!all.removeIf(known -> known.source().equals(source))) {
      throw new SourceNotFoundException(source, all.stream().map(SourceStatus::source).toList());
    }
  }
}
