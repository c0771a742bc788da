package io.indexview.connect.dynamodb.write;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  private final int maxInFlight;
  private final Backoff backoff;
  private final Clock clock;
  private final Settled settled;
  private final KeyedWriteBuffer buffer = new KeyedWriteBuffer();
  private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

  private int requests;
  private Instant quietUntil = Instant.MIN;
  private long lost;
  private RuntimeException failure;

  /** Is told what became of each write. */
  public interface Settled {
    /** The row is as the write wants it, or newer. */
    void applied(RowWrite write);

    /**
     * The store will never take the write.
     *
     * @throws ConnectException if that is to end the task
     */
    void rejected(RowWrite write, String reason, Throwable cause);
  }

  private RowWriter(
      RowSender sender, int maxInFlight, Backoff backoff, Clock clock, Settled settled) {
    this.sender = sender;
    this.maxInFlight = maxInFlight;
    this.backoff = backoff;
    this.clock = clock;
    this.settled = settled;
  }

  /** Each row in a request of its own, never over a row of a higher revision. */
  public static RowWriter conditional(
      ItemStore store, int maxInFlight, Backoff backoff, Clock clock, Settled settled) {
    return new RowWriter(new ConditionalSender(store), maxInFlight, backoff, clock, settled);
  }

  /** Rows in batches, over whatever is there. */
  public static RowWriter batch(
      ItemStore store, int maxInFlight, Backoff backoff, Clock clock, Settled settled) {
    return new RowWriter(new BatchSender(store), maxInFlight, backoff, clock, settled);
  }

  public void add(RowWrite write) {
    buffer.add(write);
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

  /** Like {@link #run}, after waiting for an answer at most so long. */
  public void await(Duration timeout) throws InterruptedException {
    Answer answer = answers.poll(Math.max(1, timeout.toMillis()), TimeUnit.MILLISECONDS);
    if (answer != null) {
      accept(answer);
    }
    run();
  }

  private void dispatch() {
    if (clock.instant().isBefore(quietUntil)) {
      return;
    }
    while (requests < maxInFlight) {
      List<RowWrite> writes = sender.take(buffer);
      if (writes.isEmpty()) {
        return;
      }
      requests++;
      sender
          .send(writes)
          .whenComplete((outcomes, never) -> answers.add(new Answer(writes, outcomes)));
    }
  }

  private void accept(Answer answer) {
    requests--;
    for (int i = 0; i < answer.writes().size(); i++) {
      accept(answer.writes().get(i), answer.outcomes().get(i));
    }
  }

  private void accept(RowWrite write, RowOutcome outcome) {
    if (outcome instanceof RowOutcome.Applied applied) {
      lost += applied.lost() ? 1 : 0;
      answersAgain();
      buffer.settled(write);
      settled.applied(write);
    } else if (outcome instanceof RowOutcome.Again again) {
      waitBeforeNext(again.cause());
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

  private void waitBeforeNext(ItemStoreException.Unavailable cause) {
    Instant now = clock.instant();
    if (now.isBefore(quietUntil)) {
      return;
    }
    if (backoff.failures() == 0) {
      LOGGER.warn(
          "DynamoDB does not take all writes, trying again until it does: {}", cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    quietUntil = now.plus(backoff.next());
  }

  private void answersAgain() {
    // Requests sent before a failure may still succeed after it.
    if (backoff.failures() > 0 && !clock.instant().isBefore(quietUntil)) {
      LOGGER.info("DynamoDB takes writes again after {} failures", backoff.failures());
      backoff.reset();
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
    Instant end = clock.instant().plus(bound);
    // Nothing is sent meanwhile: what comes back unwritten is dropped before it can go again.
    while (requests > 0 && clock.instant().isBefore(end)) {
      Answer answer = answers.poll(ANSWER_WAIT_MS, TimeUnit.MILLISECONDS);
      if (answer != null) {
        accept(answer);
        buffer.forget(revoked);
      }
    }
    if (requests > 0) {
      LOGGER.warn("{} requests to DynamoDB are still not answered", requests);
    }
    if (failure != null) {
      LOGGER.warn("A write failed before or while partitions were given up", failure);
    }
  }

  /** Writes that a newer row held off so far. */
  public long lost() {
    return lost;
  }

  private record Answer(List<RowWrite> writes, List<RowOutcome> outcomes) {}
}
