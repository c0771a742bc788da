package io.indexview.server.rows;

import io.indexview.client.read.IndexViewReader;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.server.rows.RowReadParser.RowRead;
import io.indexview.server.rows.RowResource.RowsAnswer;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/**
 * Reads rows for requests. Those that wait are bounded, so that all others are answered meanwhile.
 * Safe for use by many threads.
 */
public final class Rows {
  private static final Duration BUSY_RETRY = Duration.ofSeconds(1);

  private final IndexViewReader reader;
  private final ReadLimits limits;
  private final Semaphore waiting;

  public Rows(IndexViewReader reader, ReadLimits limits) {
    this.reader = reader;
    this.limits = limits;
    this.waiting = new Semaphore(limits.maxWaiting());
  }

  RowsAnswer read(String view, MultivaluedMap<String, String> parameters) {
    RowRead read = new RowReadParser(parameters, limits).parse(view);
    if (!read.waits()) {
      return RowsAnswer.of(read, reader.read(read.query(), read.options()));
    }
    if (!waiting.tryAcquire()) {
      throw new ProblemException(
          ProblemDetails.of(
              ProblemType.BUSY,
              "%d requests wait for views or freshness tokens already"
                  .formatted(limits.maxWaiting())),
          BUSY_RETRY,
          null);
    }
    try {
      return RowsAnswer.of(read, reader.read(read.query(), read.options()));
    } finally {
      waiting.release();
    }
  }

  /**
   * Bounds of what requests may ask for.
   *
   * @param maxRows of a page
   * @param maxTimeout of a wait
   * @param maxWaiting requests that may wait at a time
   */
  public record ReadLimits(int maxRows, Duration maxTimeout, int maxWaiting) {
    public ReadLimits {
      Objects.requireNonNull(maxTimeout, "maxTimeout");
    }
  }
}
