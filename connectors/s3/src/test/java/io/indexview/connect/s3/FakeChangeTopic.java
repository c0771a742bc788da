package io.indexview.connect.s3;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks and ends as it is told. Of one reader, as {@link ChangeTopicReader} is. */
public final class FakeChangeTopic implements ChangeTopic {
  private final Time time;
  private final ChangeTopicReader reader = new Reader();
  private volatile long requested;
  private volatile SourceRequest scanRequest;
  private volatile String publishedAgain;
  private volatile Map<Integer, Long> ends;
  private volatile RuntimeException failure;
  private volatile String id = "topic-1";
  private volatile ChangeTopicReader held = new FakeLog().open();
  private String answer;
  private long askedAt;
  private boolean closed;

  public FakeChangeTopic(Time time) {
    this.time = time;
  }

  /** Another topic of the name, which no earlier answer tells; null: nobody answers any more. */
  public void become(String newId) {
    id = newId;
  }

  /** The last answer is of so long ago that nobody trusts it. */
  public void outdateAnswer() {
    answer = null;
  }

  public void request(long number) {
    requested = number;
  }

  /** Somebody asks for a scan now. */
  public void askForScan(long number) {
    scanRequest =
        new SourceRequest("changes", number, System.currentTimeMillis(), SourceRequest.Kind.SCAN);
  }

  /** Another task does so. */
  public void publishAgain(String bucket) {
    publishedAgain = bucket;
  }

  public void setEnds(Map<Integer, Long> newEnds) {
    ends = newEnds;
  }

  /** From now on; null: no more. */
  public void fail(RuntimeException cause) {
    failure = cause;
  }

  /** What there is to read, and where it ends, unless that is set. */
  public void holds(FakeLog newLog) {
    held = newLog.open();
  }

  @Override
  public long requested() {
    return requested;
  }

  @Override
  public Optional<SourceRequest> scanRequest() {
    return Optional.ofNullable(scanRequest);
  }

  @Override
  public boolean isPublishedAgain(String bucket) {
    return bucket.equals(publishedAgain);
  }

  /** The answer to a question comes after the call that asked it, as from a broker. */
  @Override
  public Optional<String> idSince(long moment) {
    if (answer != null && askedAt - moment >= 0) {
      return Optional.of(answer);
    }
    if (id != null) {
      answer = id;
      askedAt = time.nanoTime();
    }
    return Optional.empty();
  }

  @Override
  public ChangeTopicReader reader() {
    return reader;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  private final class Reader implements ChangeTopicReader {
    @Override
    public Bounds bounds() {
      throwIfFailing();
      if (id == null) {
        throw new ChangeTopicException("no answer", null);
      }
      Bounds bounds = held.bounds();
      return ends == null
          ? new Bounds(id, bounds.begins(), bounds.ends())
          : new Bounds(id, Map.of(), ends);
    }

    @Override
    public Optional<String> idSince(long moment) {
      return FakeChangeTopic.this.idSince(moment);
    }

    @Override
    public void seek(Map<Integer, Long> positions) {
      held.seek(positions);
    }

    @Override
    public List<LoggedEvent> poll(Duration timeout) {
      throwIfFailing();
      return held.poll(timeout);
    }

    @Override
    public Map<Integer, Long> positions() {
      return held.positions();
    }

    private void throwIfFailing() {
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void close() {}
  }
}
