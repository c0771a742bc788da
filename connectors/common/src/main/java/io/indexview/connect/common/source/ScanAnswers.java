package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceRequest;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Which requests for a scan a source partition has answered. Only while its task runs: after that,
 * when the last complete scan began tells. For one thread.
 */
public final class ScanAnswers {
  private final Supplier<Optional<SourceRequest>> newest;
  private long begun;
  private long answered;

  /**
   * @param newest request for a scan that is known; returns at once
   */
  public ScanAnswers(Supplier<Optional<SourceRequest>> newest) {
    this.newest = newest;
  }

  /**
   * Whether a scan is asked for that none since has answered.
   *
   * @param lastStartedAtMs when the last scan began, ms since the epoch. A clock that is behind
   *     that of who asks leads to one scan, and not to one after the other
   */
  public boolean isAsked(long lastStartedAtMs) {
    return newest
        .get()
        .filter(request -> request.number() > answered)
        .filter(request -> request.requestedAtMs() > lastStartedAtMs)
        .isPresent();
  }

  /** A scan begins, from its start. */
  public void begins() {
    begun = newest.get().map(SourceRequest::number).orElse(0L);
  }

  /** The scan that began last is complete. */
  public void completed() {
    answered = Math.max(answered, begun);
  }

  /** Number of the newest request that is answered; 0: none since the task has started. */
  public long answered() {
    return answered;
  }
}
