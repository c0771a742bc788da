package io.indexview.server;

import io.indexview.client.admin.SourceAdmin.SourceNotFoundException;
import io.indexview.client.admin.SourceCatalog;
import io.indexview.client.admin.SourceStatus;
import io.indexview.schemas.control.PublishedAgain;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sources in memory. */
public final class FakeSources implements SourceCatalog {
  private final List<SourceStatus> all = new ArrayList<>();
  private final List<String> publishedAgain = new ArrayList<>();

  void clear() {
    all.clear();
    publishedAgain.clear();
  }

  public void add(SourceStatus source) {
    all.add(source);
  }

  @Override
  public List<SourceStatus> list() {
    return List.copyOf(all);
  }

  /** What was published, as topic and time. */
  public List<String> publishedAgain() {
    return List.copyOf(publishedAgain);
  }

  @Override
  public PublishedAgain publishedAgain(String changesTopic, Instant since) {
    if (!all.isEmpty()) {
      throw new IllegalArgumentException("source " + all.get(0).source() + " answers");
    }
    publishedAgain.add(changesTopic + " " + since);
    return new PublishedAgain(changesTopic, "id", since.toEpochMilli(), 0, Map.of(), Map.of());
  }

  @Override
  public void retire(String source) {
    if (!all.removeIf(known -> known.source().equals(source))) {
      throw new SourceNotFoundException(source, all.stream().map(SourceStatus::source).toList());
    }
  }
}
