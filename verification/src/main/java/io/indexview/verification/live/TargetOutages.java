package io.indexview.verification.live;

import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.time.Time;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a run go on after its target did not answer for a while, or throttled it. A run that has
 * read nothing yet fails at once: then somebody waits for the reason. Not safe for use by several
 * threads.
 */
final class TargetOutages {
  private static final Logger LOGGER = LoggerFactory.getLogger(TargetOutages.class);

  /** Longest outage of a run that makes no progress. */
  static final Duration MAX_OUTAGE = Duration.ofMinutes(10);

  /** Class of SQL's states. */
  private static final String NO_CONNECTION = "08";

  /** PostgreSQL shuts down, has crashed, starts, has no connection left. */
  private static final Set<String> PASSING = Set.of("57P01", "57P02", "57P03", "53300");

  private final String run;
  private final Consumer<String> waiting;
  private final Time time;
  private boolean isOutage;

  /**
   * @param run as the log names it
   * @param waiting is told what is waited for, and waits a moment; ends it by an exception
   */
  TargetOutages(String run, Consumer<String> waiting, Time time) {
    this.run = run;
    this.waiting = waiting;
    this.time = time;
  }

  /** Notes an answer of the target; call it with each. */
  void answered() {
    if (isOutage) {
      isOutage = false;
      LOGGER.info("{} goes on: its target answers again", run);
    }
  }

  /**
   * Runs it to its end. Each outage may last {@link #MAX_OUTAGE}: the next one begins when the run
   * has come further, or has run for as long.
   *
   * @param attempt goes on where the one before was, as far as that has noted
   * @param counts of the present attempt, and what it goes on from
   */
  void waitOut(Runnable attempt, Supplier<Counts> counts) {
    long maxDone = 0;
    long since = 0;
    while (true) {
      long began = time.nanoTime();
      try {
        attempt.run();
        return;
      } catch (RuntimeException e) {
        long now = time.nanoTime();
        long done = done(counts.get());
        if (done > maxDone || now - began > MAX_OUTAGE.toNanos()) {
          maxDone = Math.max(maxDone, done);
          since = now;
        }
        if (maxDone == 0 || !mayPass(e) || now - since > MAX_OUTAGE.toNanos()) {
          throw e;
        }
        String step = "waits for the target, which does not answer: " + e.getMessage();
        if (!isOutage) {
          isOutage = true;
          LOGGER.warn("{} {}", run, step);
        }
        waiting.accept(step);
      }
    }
  }

  private static long done(Counts counts) {
    return counts.scanned() + counts.right() + counts.wrong() + counts.repaired();
  }

  private static boolean mayPass(Throwable failure) {
    return failure instanceof KvStoreException.Unavailable
        || failure instanceof ItemStoreException.Unavailable
        || failure.getCause() instanceof SQLTransientConnectionException
        || (failure.getCause() instanceof SQLException sql
            && sql.getSQLState() != null
            && (sql.getSQLState().startsWith(NO_CONNECTION)
                || PASSING.contains(sql.getSQLState())));
  }
}
