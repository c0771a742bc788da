package io.indexview.verification;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * For how long a target keeps the tombstones of deleted rows.
 *
 * <p>A row was deleted no later than the revision of its tombstone says, taken as ms since the
 * epoch: a revision is not below the clock of its time, but may be above it. So a tombstone that
 * was planted, or raised by a repair, with a later revision counts as younger than it is, for the
 * sink as well. None counts as older.
 *
 * @param retention of the sink ({@code row.tombstone.retention.ms})
 * @param removal how much longer one stays at most until it is removed: from one scan of the KV
 *     store's sink for old ones to the end of the next, or as long as DynamoDB's time to live takes
 * @param clock that differs by less than that from the clocks of app and sink
 */
public record TombstoneRetention(Duration retention, Duration removal, Clock clock) {
  /** The sinks' default, and two days. */
  public static final TombstoneRetention DEFAULT =
      new TombstoneRetention(Duration.ofDays(15), Duration.ofDays(2), Clock.systemUTC());

  public TombstoneRetention {
    Objects.requireNonNull(retention, "retention");
    Objects.requireNonNull(removal, "removal");
    Objects.requireNonNull(clock, "clock");
  }

  /**
   * Time to take before tombstones are read and to judge them by: what was overdue then still is.
   */
  Instant now() {
    return clock.instant();
  }

  /**
   * Why a tombstone with a revision should be gone; empty: it may stay.
   *
   * @param at no later than it was read
   */
  Optional<String> overdue(long revision, Instant at) {
    if (revision >= at.minus(retention).minus(removal).toEpochMilli()) {
      return Optional.empty();
    }
    return Optional.of(
        "by its revision its row was deleted at %s, and tombstones are kept for %s"
            .formatted(Instant.ofEpochMilli(revision), text(retention)));
  }

  private static String text(Duration retention) {
    boolean isDays = retention.equals(Duration.ofDays(retention.toDays()));
    return isDays ? retention.toDays() + " days" : retention.toString();
  }

  /**
   * Why a tombstone with a time to live should be gone; empty: it may stay.
   *
   * @param expiresAt seconds since the epoch, whatever somebody wrote
   * @param at no later than it was read
   */
  Optional<String> overdue(Number expiresAt, Instant at) {
    double seconds = expiresAt.doubleValue();
    if (seconds >= at.minus(removal).getEpochSecond()) {
      return Optional.empty();
    }
    return Optional.of(
        "its time to live ended at %s"
            .formatted(Instant.ofEpochSecond((long) Math.max(0, seconds))));
  }
}
