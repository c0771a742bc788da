package io.indexview.streams.work;

import io.indexview.streams.error.Backoff;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rounds over everything that is wanted: each looks at what is due, and tells what was found. What
 * cannot be told yet is kept, and nothing else is looked at until it is told. For one thread.
 */
public final class WorkRounds {
  /** A round that finds nothing to do. */
  static final Duration IDLE = Duration.ofSeconds(1);

  private static final Logger LOGGER = LoggerFactory.getLogger(WorkRounds.class);
  private static final Backoff BACKOFF = new Backoff(Look.SOON, Duration.ofSeconds(5));

  private final JobFactory factory;
  private final ResultLog log;
  private final InstantSource clock;
  private final List<JobRun> standing;
  private final Map<String, JobRun> running = new LinkedHashMap<>();
  private final Set<String> answered = new HashSet<>();
  private final List<WorkResult> untold = new ArrayList<>();
  private int failuresToTell;

  /**
   * @param standing jobs that nobody asks for and that have no answer
   */
  public WorkRounds(JobFactory factory, ResultLog log, InstantSource clock, List<Job> standing) {
    this.factory = factory;
    this.log = log;
    this.clock = clock;
    this.standing = standing.stream().map(job -> new JobRun(job, clock.instant())).toList();
  }

  /**
   * One round.
   *
   * @param wanted all that is wanted now, by id
   * @return how long there is nothing to do, if nothing else is wanted
   */
  public Duration next(Map<String, Work> wanted) {
    adopt(wanted);
    if (!tell()) {
      return BACKOFF.of(failuresToTell);
    }
    Instant now = clock.instant();
    everything().filter(run -> run.isDue(now)).toList().forEach(this::look);
    if (!tell()) {
      return BACKOFF.of(failuresToTell);
    }
    Instant after = clock.instant();
    Instant next =
        everything().map(JobRun::due).min(Instant::compareTo).orElseGet(() -> after.plus(IDLE));
    return next.isAfter(after) ? Duration.between(after, next) : Duration.ZERO;
  }

  private Stream<JobRun> everything() {
    return Stream.concat(standing.stream(), running.values().stream());
  }

  private void adopt(Map<String, Work> wanted) {
    running.keySet().retainAll(wanted.keySet());
    answered.retainAll(wanted.keySet());
    factory.keep(wanted.values());
    wanted.forEach(
        (id, work) -> {
          if (!answered.contains(id) && !running.containsKey(id)) {
            LOGGER.debug("Beginning {}", id);
            running.put(id, new JobRun(work, factory, clock.instant()));
          }
        });
  }

  private void look(JobRun run) {
    if (run.look(untold, clock, BACKOFF)) {
      LOGGER.debug("Done with {}", run.id());
      running.remove(run.id());
      answered.add(run.id());
    }
  }

  /** Whether there is nothing left to tell. */
  private boolean tell() {
    try {
      log.tell(untold);
      untold.clear();
      if (failuresToTell > 0) {
        LOGGER.info("Results of work are told again");
      }
      failuresToTell = 0;
      return true;
    } catch (InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      if (failuresToTell++ == 0) {
        LOGGER.warn("Results of work cannot be told; trying again", e);
      }
      return false;
    }
  }
}
