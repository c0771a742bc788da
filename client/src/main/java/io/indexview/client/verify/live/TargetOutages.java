package io.indexview.client.verify.live;

import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a run go on after its target did not answer for a while, or throttled it. A run that has read
 * nothing yet fails at once: then somebody waits for the reason.
 */
final class TargetOutages {
  private static final Logger LOGGER = LoggerFactory.getLogger(TargetOutages.class);

  /** Without a row that was not read before. */
  static final Duration LONGEST = Duration.ofMinutes(10);

  /** Of the states of SQL. */
  private static final String NO_CONNECTION = "08";

  private TargetOutages() {}

  /**
   * Runs it to its end.
   *
   * @param attempt goes on where the one before was, as far as that has noted
   * @param scanned rows that the present attempt, and what it goes on from, has read
   * @param waiting is told what is waited for, and waits a moment; ends it by an exception
   * @param nanoTime a clock
   */
  static void waitOut(
      Runnable attempt, LongSupplier scanned, Consumer<String> waiting, LongSupplier nanoTime) {
    long most = 0;
    long since = 0;
    while (true) {
      try {
        attempt.run();
        return;
      } catch (RuntimeException e) {
        long now = nanoTime.getAsLong();
        if (scanned.getAsLong() > most) {
          most = scanned.getAsLong();
          since = now;
        }
        if (most == 0 || !isOutage(e) || now - since > LONGEST.toNanos()) {
          throw e;
        }
        LOGGER.warn("A verification waits for its target: {}", e.getMessage());
        waiting.accept("waits for the target, which does not answer: " + e.getMessage());
      }
    }
  }

  private static boolean isOutage(Throwable failure) {
    return failure instanceof KvStoreException.Unavailable
        || failure instanceof ItemStoreException.Unavailable
        || (failure.getCause() instanceof SQLException sql
            && sql.getSQLState() != null
            && sql.getSQLState().startsWith(NO_CONNECTION));
  }
}
