package io.indexview.streams.work;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.Backoff;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job over its looks: when the next one is due, what it waits for, how often it failed. */
final class JobRun {
  /** Waits that are shorter are nothing to talk about. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOGGER = LoggerFactory.getLogger(JobRun.class);
  private static final String STANDING = "standing watch";

  private final Work work;
  private final Supplier<Job> begin;
  private Job job;
  private Instant due;
  private Instant waitingSince;
  private String waitingFor = "";
  private String toldWaitingFor = "";
  private int failures;

  /** A work that is begun at the first look. */
  JobRun(Work work, JobFactory factory, Instant due) {
    this.work = work;
    this.begin = () -> factory.begin(work);
    this.due = due;
  }

  /** A job that nobody asks for. */
  JobRun(Job job, Instant due) {
    this.work = null;
    this.begin = () -> job;
    this.due = due;
  }

  String id() {
    return work == null ? STANDING : work.id();
  }

  Instant due() {
    return due;
  }

  boolean isDue(Instant now) {
    return !now.isBefore(due);
  }

  /**
   * One look.
   *
   * @param told gets what is to be told, the answer last
   * @return whether the job is over
   */
  boolean look(List<WorkResult> told, InstantSource clock, Backoff backoff) {
    Look look;
    try {
      look = attempt(told);
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      failed(e);
      look = new Look.Again(backoff.of(failures), outage(e));
    }
    if (look instanceof Look.Answered answered) {
      wait("", clock.instant(), told);
      told.add(answered.answer());
      return true;
    }
    Look.Again again = (Look.Again) look;
    Instant now = clock.instant();
    wait(again.waitingFor(), now, told);
    due = now.plus(again.pause());
    return false;
  }

  private Look attempt(List<WorkResult> told) {
    if (job == null) {
      job = begin.get();
    }
    Look look = job.look(told::add);
    if (failures > 0) {
      LOGGER.info("{} goes on after {} failures", id(), failures);
      failures = 0;
    }
    return look;
  }

  private void failed(RuntimeException failure) {
    boolean outage = isOutage(failure);
    if (failures++ > 0) {
      LOGGER.debug("{} still fails", id(), failure);
    } else if (outage) {
      LOGGER.warn("{} is held up by an outage; trying again", id(), failure);
    } else {
      LOGGER.error("{} failed; trying again", id(), failure);
    }
  }

  private static boolean isOutage(RuntimeException failure) {
    return failure instanceof KafkaException || failure instanceof RegistryException;
  }

  private static String outage(RuntimeException failure) {
    return failure instanceof RegistryException
        ? "the schema registry: " + failure.getMessage()
        : isOutage(failure)
            ? "the brokers: " + failure.getMessage()
            : "a failure that the log of the streams app describes: " + failure;
  }

  /** Tells what is waited for when the wait is long, and when that is over. */
  private void wait(String reason, Instant now, List<WorkResult> told) {
    if (reason.isEmpty() || waitingFor.isEmpty()) {
      waitingSince = now;
    }
    waitingFor = reason;
    boolean isLong =
        reason.isEmpty() || Duration.between(waitingSince, now).compareTo(PATIENCE) > 0;
    if (work != null && isLong && !reason.equals(toldWaitingFor)) {
      toldWaitingFor = reason;
      told.add(WorkResult.Waiting.of(work, reason));
    }
  }
}
