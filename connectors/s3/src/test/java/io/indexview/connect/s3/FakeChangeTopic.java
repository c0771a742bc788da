package io.indexview.connect.s3;

import io.indexview.connect.s3.record.ChangeTopic;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Asks and ends as it is told. */
public final class FakeChangeTopic implements ChangeTopic {
  private volatile long requested;
  private volatile Map<Integer, Long> ends = Map.of();
  private volatile RuntimeException failure;
  private volatile String id = "topic-1";
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
  public Map<Integer, Long> ends() {
    if (failure != null) {
      throw failure;
    }
    return ends;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
