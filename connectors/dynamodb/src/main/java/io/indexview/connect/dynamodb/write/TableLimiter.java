package io.indexview.connect.dynamodb.write;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests to one table: how many may be in flight, when the next may go, and what they came
 * to. Tables do not slow each other down. For one thread, but for the figures.
 */
public final class TableLimiter {
  private static final Logger LOGGER = LoggerFactory.getLogger(TableLimiter.class);

  private final String table;
  private final RequestLimit limit;
  private final UnitBudget budget;
  private final Backoff backoff;
  private final Timer quiet;
  private final LongAdder applied = new LongAdder();
  private final LongAdder heldOff = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final DoubleAdder units = new DoubleAdder();

  private volatile int inFlight;

  /**
   * @param maxInFlight requests in flight at once
   * @param unitsPerSecond write capacity units; 0: no bound
   * @param backoff waits while the table does not take all writes
   */
  TableLimiter(String table, int maxInFlight, double unitsPerSecond, Backoff backoff, Time time) {
    this.table = table;
    this.limit = new RequestLimit(maxInFlight);
    this.budget = new UnitBudget(unitsPerSecond, time);
    this.backoff = backoff;
    this.quiet = new Timer(time);
  }

  /**
   * A request in flight.
   *
   * @param writes in it
   * @param halvings of the limit before it was sent
   */
  record Request(int writes, int halvings) {}

  boolean allows() {
    return inFlight < limit.value() && quiet.isExpired() && budget.allows();
  }

  /** A write takes one unit at least, so that is spent before the store tells. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // others only read it
  Request sent(int writes) {
    inFlight++;
    budget.spend(writes);
    return new Request(writes, limit.halvings());
  }

  /**
   * A request was answered.
   *
   * @param spent units; 0 if nobody tells
   * @param notTaken why writes of it have to be sent again later; null if none has
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // others only read it
  void answered(Request request, double spent, ItemStoreException.Unavailable notTaken) {
    inFlight--;
    units.add(spent);
    budget.spend(Math.max(0, spent - request.writes()));
    if (notTaken != null) {
      failures.increment();
    }
    if (!limit.isCurrent(request.halvings())) {
      return;
    }
    if (notTaken == null) {
      succeeded();
    } else {
      failed(notTaken);
    }
  }

  private void succeeded() {
    limit.succeeded();
    if (backoff.failures() > 0) {
      LOGGER.info("Table {} takes writes again after {} failures", table, backoff.failures());
      backoff.reset();
    }
  }

  private void failed(ItemStoreException.Unavailable cause) {
    if (backoff.failures() == 0) {
      LOGGER.warn(
          "Table {} does not take all writes, trying again, slower, until it does: {}",
          table,
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    limit.failed();
    quiet.reset(backoff.next());
  }

  void applied(boolean lost) {
    (lost ? heldOff : applied).increment();
  }

  public String table() {
    return table;
  }

  /** Rows that are as their writes wanted it. */
  public long appliedRows() {
    return applied.sum();
  }

  /** Rows whose writes a newer row held off. */
  public long heldOffRows() {
    return heldOff.sum();
  }

  /** Requests that the store did not take, or not whole, for the time being. */
  public long failures() {
    return failures.sum();
  }

  /** Write capacity units used, as far as the store said, or as the sizes of rows tell. */
  public double units() {
    return units.sum();
  }

  public int requestsInFlight() {
    return inFlight;
  }

  /** How many requests may be in flight now. */
  public int requestLimit() {
    return limit.value();
  }

  /**
   * How many requests may be in flight: half as many after a failure, one more after as many
   * successes as may be in flight. Failures of requests that were sent before the last halving tell
   * nothing new. Changed by one thread; {@link #value} is for any.
   */
  private static final class RequestLimit {
    private final int max;
    private volatile double value;
    private int halvings;

    /**
     * @param max also where it begins
     */
    RequestLimit(int max) {
      this.max = max;
      this.value = max;
    }

    /** The limit, at least 1. */
    int value() {
      return (int) value;
    }

    /** Says of a request now sent how the limit came about; for its answer. */
    int halvings() {
      return halvings;
    }

    /** Whether a request was sent since the last halving. */
    boolean isCurrent(int halvingsWhenSent) {
      return halvingsWhenSent == halvings;
    }

    void succeeded() {
      value = Math.min(max, value + 1 / value);
    }

    void failed() {
      value = Math.max(1, value / 2);
      halvings++;
    }
  }

  /**
   * Write capacity units that may be used: so many come each second, those of one second are kept.
   * What a write takes is known when it is done, so there may be a debt, which is waited for. For
   * one thread.
   */
  private static final class UnitBudget {
    private static final double NANOS = 1e9;

    private final double perSecond;
    private final Time time;
    private double units;
    private long filledAt;

    /**
     * @param perSecond 0: no bound
     */
    UnitBudget(double perSecond, Time time) {
      this.perSecond = perSecond;
      this.time = time;
      this.units = perSecond;
      this.filledAt = time.nanoTime();
    }

    boolean allows() {
      if (perSecond == 0) {
        return true;
      }
      long now = time.nanoTime();
      units = Math.min(perSecond, units + (now - filledAt) / NANOS * perSecond);
      filledAt = now;
      return units > 0;
    }

    void spend(double spent) {
      units -= spent;
    }
  }
}
