package io.indexview.connect.dynamodb.write;

import io.indexview.connect.dynamodb.write.RowSender.BatchSender;
import io.indexview.connect.dynamodb.write.RowSender.ConditionalSender;
import io.indexview.connect.dynamodb.write.RowSender.RowOutcome;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes rows, several requests at a time, one at a time per row, until each is settled. Everything
 * happens on the caller's thread; only answers come in on others.
 */
public final class RowWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(RowWriter.class);

  private static final long ANSWER_WAIT_MS = 100;

  private final RowSender sender;
  private final TableLimiters limiters;
  private final Time time;
  private final Settled settled;
  private final KeyedWriteBuffer buffer = new KeyedWriteBuffer();
  private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

  private int requests;
  private RuntimeException failure;

  /** Receives what became of each write. */
  public interface Settled {
    /** The row is as the write wants it, or newer. */
    void applied(RowWrite write);

    /**
     * The store will never take the write.
     *
     * @throws ConnectException if that is to end the task
     */
    void rejected(RowWrite write, String reason, Throwable cause);

    /**
     * The store has no table of this name at the moment.
     *
     * @return why the write is to be rejected; empty: it is tried again
     */
    Optional<String> tableMissing(RowWrite write);
  }

  private RowWriter(RowSender sender, TableLimiters limiters, Time time, Settled settled) {
    this.sender = sender;
    this.limiters = limiters;
    this.time = time;
    this.settled = settled;
  }

  /** Each row in a request of its own, never over a row of a higher revision. */
  public static RowWriter conditional(
      ItemStore store, TableLimiters limiters, Time time, Settled settled) {
    return new RowWriter(new ConditionalSender(store), limiters, time, settled);
  }

  /** Rows in batches, over whatever is there. */
  public static RowWriter batch(
      ItemStore store, TableLimiters limiters, Time time, Settled settled) {
    return new RowWriter(new BatchSender(store), limiters, time, settled);
  }

  public void add(RowWrite write) {
    buffer.add(write);
  }

  /** Whether writes wait for others to be answered, or for a table to take them. */
  public boolean hasUnsent() {
    return buffer.hasReady();
  }

  /**
   * Works in the answers that have come, and sends what may be sent.
   *
   * @throws ItemStoreException if nothing will work without somebody's help; thrown by every later
   *     call again
   * @throws ConnectException like that, if nobody takes reports of rejected writes
   */
  public void run() {
    settle();
    if (failure != null) {
      throw failure;
    }
    dispatch();
  }

  /** Works in the answers that have come. What they say of a failure is left to {@link #run}. */
  public void settle() {
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      accept(answer);
    }
  }

  /** Waits for an answer, at most so long, and then does what {@link #run} does. */
  public void await(Duration timeout) throws InterruptedException {
    Answer answer = answers.poll(Math.max(1, timeout.toMillis()), TimeUnit.MILLISECONDS);
    if (answer != null) {
      accept(answer);
    }
    run();
  }

  /** Tables take turns, so that none keeps the others from sending. */
  private void dispatch() {
    List<String> tables = buffer.tables();
    boolean sent = !tables.isEmpty();
    while (sent) {
      sent = false;
      for (String table : tables) {
        TableLimiter limiter = limiters.of(table);
        if (requests < limiters.maxInFlight() && limiter.allows()) {
          sent |= send(limiter);
        }
      }
    }
  }

  private boolean send(TableLimiter limiter) {
    List<RowWrite> writes = sender.take(buffer, limiter.table());
    if (writes.isEmpty()) {
      return false;
    }
    requests++;
    TableLimiter.Request request = limiter.sent(writes.size());
    sender
        .send(writes)
        .whenComplete((sent, never) -> answers.add(new Answer(limiter, request, writes, sent)));
    return true;
  }

  private void accept(Answer answer) {
    requests--;
    List<RowOutcome> outcomes = outcomes(answer);
    answer.limiter().answered(answer.request(), answer.sent().units(), notTaken(outcomes));
    for (int i = 0; i < outcomes.size(); i++) {
      accept(answer.limiter(), answer.writes().get(i), outcomes.get(i));
    }
  }

  private List<RowOutcome> outcomes(Answer answer) {
    List<RowOutcome> outcomes = new ArrayList<>(answer.sent().outcomes());
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) instanceof RowOutcome.NoTable missing) {
        outcomes.set(i, withoutTable(answer.writes().get(i), missing.cause()));
      }
    }
    return outcomes;
  }

  private RowOutcome withoutTable(RowWrite write, ItemStoreException.NoTable cause) {
    Optional<String> reason = settled.tableMissing(write);
    return reason.isPresent()
        ? new RowOutcome.Rejected(reason.get(), cause)
        : new RowOutcome.Again(new ItemStoreException.Unavailable(cause.getMessage(), cause));
  }

  /** What calls for fewer requests; null: nothing. */
  private static ItemStoreException.Unavailable notTaken(List<RowOutcome> outcomes) {
    for (RowOutcome outcome : outcomes) {
      if (outcome instanceof RowOutcome.Again again
          && !(again.cause() instanceof ItemStoreException.Contended)) {
        return again.cause();
      }
    }
    return null;
  }

  private void accept(TableLimiter limiter, RowWrite write, RowOutcome outcome) {
    if (outcome instanceof RowOutcome.Applied applied) {
      limiter.applied(applied.lost());
      buffer.settled(write);
      settled.applied(write);
    } else if (outcome instanceof RowOutcome.Again) {
      buffer.again(write);
    } else if (outcome instanceof RowOutcome.AgainAlone) {
      write.mustGoAlone();
      buffer.again(write);
    } else if (outcome instanceof RowOutcome.Rejected rejected) {
      buffer.settled(write);
      reject(write, rejected);
    } else if (outcome instanceof RowOutcome.Failed failed) {
      buffer.again(write);
      failed(failed.cause());
    }
  }

  private void reject(RowWrite write, RowOutcome.Rejected rejected) {
    try {
      settled.rejected(write, rejected.reason(), rejected.cause());
    } catch (ConnectException e) {
      failed(e);
    }
  }

  /** Kept until all answers are worked in: each has writes that somebody waits for. */
  private void failed(RuntimeException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /**
   * Gives writes up: drops those that wait, and sees to it that none is in flight. A failure
   * meanwhile is left to {@link #run}.
   *
   * @param revoked which writes
   * @param bound how long to wait for answers
   */
  public void revoke(Predicate<RowWrite> revoked, Duration bound) throws InterruptedException {
    buffer.forget(revoked);
    Timer left = new Timer(time);
    left.reset(bound);
    // Nothing is sent meanwhile: what comes back unwritten is dropped before it can go again.
    while (requests > 0 && !left.isExpired()) {
      Answer answer = answers.poll(ANSWER_WAIT_MS, TimeUnit.MILLISECONDS);
      if (answer != null) {
        accept(answer);
        buffer.forget(revoked);
      }
    }
    if (requests > 0) {
      LOGGER.warn(
          "{} requests to DynamoDB are not answered yet though the partitions of their rows were given up; the next task writes these rows again",
          requests);
    }
    if (failure != null) {
      LOGGER.warn(
          "A write failed before or while partitions were given up; the next task writes its row again",
          failure);
    }
  }

  private record Answer(
      TableLimiter limiter,
      TableLimiter.Request request,
      List<RowWrite> writes,
      RowSender.Sent sent) {}
}
