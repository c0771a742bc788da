package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Requests;
import io.indexview.schemas.control.SourceRequest;
import java.util.Optional;

/** What somebody asks the source of people for. */
final class FakeRequests implements Requests {
  private long snapshot;
  private SourceRequest scan;

  void askForSnapshot(long number) {
    snapshot = number;
  }

  void askForScan(long number, long atMs) {
    scan = new SourceRequest(People.TOPIC, number, atMs, SourceRequest.Kind.SCAN);
  }

  @Override
  public long newest(String topic) {
    return topic.equals(People.TOPIC) ? snapshot : 0;
  }

  @Override
  public Optional<SourceRequest> newestScan(String topic) {
    return Optional.ofNullable(scan).filter(asked -> asked.topic().equals(topic));
  }
}
