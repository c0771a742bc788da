package io.indexview.connect.s3;

import io.indexview.connect.s3.record.ChangeTopic;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Asks and ends as it is told. */
public final class FakeChangeTopic implements ChangeTopic {
  private volatile long requested;
  private volatile Map<Integer, Long> ends;
  private volatile RuntimeException failure;
  private volatile String id = "topic-1";
  private volatile FakeLog log = new FakeLog();
  private boolean closed;

  /** Another topic of the name; null: nobody answers which. */
  public void become(String newId) {
    id = newId;
  }

  public void request(long number) {
    requested = number;
  }

  public void setEnds(Map<Integer, Long> newEnds) {
    ends = newEnds;
  }

  /** From now on; null: no more. */
  public void fail(RuntimeException cause) {
    failure = cause;
  }

  @Override
  public long requested() {
    return requested;
  }

  @Override
  public Optional<String> idSince(Instant time) {
    return Optional.ofNullable(id);
  }

  @Override
  public Bounds bounds() {
    if (failure != null) {
      throw failure;
    }
    return ends == null ? log.bounds() : new Bounds(Map.of(), ends);
  }

  @Override
  public Batch read(Map<Integer, Long> positions) {
    if (failure != null) {
      throw failure;
    }
    return log.read(positions);
  }

  /** What there is to read, and where it ends, unless that is set. */
  public void holds(FakeLog newLog) {
    log = newLog;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
