package io.indexview.connect.dynamodb.write;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.schemas.time.Time;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The limiters of the tables that a task writes. For one thread. */
public final class TableLimiters {
  private static final Logger LOGGER = LoggerFactory.getLogger(TableLimiters.class);

  private final int maxInFlight;
  private final double unitsPerSecond;
  private final Supplier<Backoff> backoffs;
  private final Time time;
  private final Listener listener;
  private final Map<String, TableLimiter> byTable = new LinkedHashMap<>();

  /** Receives the limiters that there are. */
  public interface Listener {
    /** Does nothing. */
    Listener NONE =
        new Listener() {
          @Override
          public void added(TableLimiter limiter) {}

          @Override
          public void removed(TableLimiter limiter) {}
        };

    void added(TableLimiter limiter);

    void removed(TableLimiter limiter);
  }

  /**
   * @param maxInFlight requests in flight at once, of all tables together
   * @param unitsPerSecond write capacity units a second of each table; 0: no bound
   * @param backoffs waits of a table that does not take all writes
   */
  public TableLimiters(
      int maxInFlight,
      double unitsPerSecond,
      Supplier<Backoff> backoffs,
      Time time,
      Listener listener) {
    this.maxInFlight = maxInFlight;
    this.unitsPerSecond = unitsPerSecond;
    this.backoffs = backoffs;
    this.time = time;
    this.listener = listener;
  }

  TableLimiter of(String table) {
    TableLimiter known = byTable.get(table);
    if (known != null) {
      return known;
    }
    TableLimiter limiter =
        new TableLimiter(table, maxInFlight, unitsPerSecond, backoffs.get(), time);
    byTable.put(table, limiter);
    listener.added(limiter);
    return limiter;
  }

  int maxInFlight() {
    return maxInFlight;
  }

  /** No generation is written to this table any more; unless it is written at the moment. */
  public void forget(String table) {
    TableLimiter limiter = byTable.get(table);
    if (limiter != null && limiter.requestsInFlight() == 0) {
      byTable.remove(table);
      end(limiter);
    }
  }

  /** Forgets all. */
  public void close() {
    List.copyOf(byTable.values()).forEach(this::end);
    byTable.clear();
  }

  private void end(TableLimiter limiter) {
    listener.removed(limiter);
    LOGGER.info(
        "Table {}: {} rows applied, {} held off by newer ones, {} write capacity units",
        limiter.table(),
        limiter.appliedRows(),
        limiter.heldOffRows(),
        limiter.units());
  }
}
