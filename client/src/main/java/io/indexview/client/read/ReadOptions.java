package io.indexview.client.read;

import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.token.FreshnessToken;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a page is read.
 *
 * @param notReady what to do while the view is not READY
 * @param atLeast a write that the rows must include
 * @param timeout how long to wait for that write
 * @param maxStaleness the rows must be known to have every change that was made longer ago than
 *     this; a view of which that is not known counts as one that is not READY
 * @param fetch whether to fetch the primary records, and to drop rows that no longer match them
 */
public record ReadOptions(
    NotReady notReady,
    Consistency consistency,
    Optional<FreshnessToken> atLeast,
    Duration timeout,
    Optional<Duration> maxStaleness,
    boolean fetch) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** READY views only, the strongest consistency there is, rows alone. */
  public static final ReadOptions DEFAULT =
      new ReadOptions(
          new NotReady.Refuse(),
          Consistency.STRONGEST,
          Optional.empty(),
          TIMEOUT,
          Optional.empty(),
          false);

  public ReadOptions {
    Objects.requireNonNull(notReady, "notReady");
    Objects.requireNonNull(consistency, "consistency");
    Objects.requireNonNull(atLeast, "atLeast");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(maxStaleness, "maxStaleness");
  }

  /** What to do while a view is not READY. */
  public sealed interface NotReady {
    /** Throw {@link ViewNotReadyException}. */
    record Refuse() implements NotReady {}

    /** Wait that long, then throw {@link ViewNotReadyException}. */
    record Wait(Duration timeout) implements NotReady {
      public Wait {
        Objects.requireNonNull(timeout, "timeout");
      }
    }

    /**
     * Read what serves all the same, and tell the state. A view of which nothing serves is refused.
     */
    record AllowStale() implements NotReady {}
  }

  /** How current the rows of the target are. */
  public enum Consistency {
    /** ABSOLUTE, but for an index of DynamoDB, which is read as it is. */
    STRONGEST,
    /** Everything that was applied to the target; an index of DynamoDB cannot be read so. */
    ABSOLUTE,
    /** Reads from any replica, however far behind: cheaper, and spreads the load. */
    EVENTUAL
  }

  public ReadOptions withNotReady(NotReady policy) {
    return new ReadOptions(policy, consistency, atLeast, timeout, maxStaleness, fetch);
  }

  public ReadOptions with(Consistency newConsistency) {
    return new ReadOptions(notReady, newConsistency, atLeast, timeout, maxStaleness, fetch);
  }

  /** Rows that include a write, waiting that long for it; not with EVENTUAL consistency. */
  public ReadOptions atLeast(FreshnessToken token, Duration newTimeout) {
    return new ReadOptions(
        notReady, consistency, Optional.of(token), newTimeout, maxStaleness, fetch);
  }

  /** Rows that are known to have every change that was made longer ago than this. */
  public ReadOptions notOlderThan(Duration newMaxStaleness) {
    return new ReadOptions(
        notReady, consistency, atLeast, timeout, Optional.of(newMaxStaleness), fetch);
  }

  /** Returns options that fetch the primary records, too. */
  public ReadOptions fetching() {
    return new ReadOptions(notReady, consistency, atLeast, timeout, maxStaleness, true);
  }
}
