package io.indexview.streams.controller.actions;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.error.RetryDelay;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Advances every wanted action until it is answered, and the watches that nobody asks for. An
 * action that fails is tried again more and more slowly, and holds up no other one longer than its
 * calls take. For one thread.
 */
public final class ActionRunner {
  /** Waits that are shorter are nothing to talk about. */
  static final Duration LONG_WAIT = Duration.ofSeconds(10);

  /** When most calls hang, what was found so far is to count all the same. */
  private static final Duration MAX_ROUND = Duration.ofSeconds(5);

  /**
   * What is due so soon is looked at with what is due now, and shares its requests: so all that
   * waits for something comes to be due at the same time.
   */
  private static final Duration TOGETHER = Activity.SOON.dividedBy(2);

  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Logger LOGGER = LoggerFactory.getLogger(ActionRunner.class);
  private static final RetryDelay RETRY_DELAY =
      new RetryDelay(Activity.SOON, Duration.ofSeconds(5));

  private final Factory factory;
  private final InstantSource clock;
  private final List<Run> watches;
  private final Map<String, Run> running = new LinkedHashMap<>();
  private final Set<String> answered = new HashSet<>();

  /** Begins actions. */
  public interface Factory {
    /** A round begins, before anything is advanced in it. */
    default void beginRound() {}

    Activity begin(Action action);

    /** Forgets what was kept for actions other than these. */
    void keep(Collection<Action> wanted);
  }

  /**
   * @param watches have no answer
   */
  public ActionRunner(Factory factory, InstantSource clock, List<Activity> watches) {
    this.factory = factory;
    this.clock = clock;
    this.watches = watches.stream().map(watch -> new Run(null, () -> watch)).toList();
  }

  /**
   * Advances what is due.
   *
   * @param wanted all that is wanted now, by id
   * @param found gets what is found, the answer of an action last
   * @return how long there is nothing to do, if nothing else is wanted
   */
  public Duration run(Map<String, Action> wanted, List<Finding> found) {
    adopt(wanted);
    Instant start = clock.instant();
    everything().forEach(run -> run.notLaterThan(start));
    if (everything().anyMatch(run -> !start.isBefore(run.due))) {
      factory.beginRound();
      if (!isAdvanced(start, found)) {
        return Duration.ZERO;
      }
    }
    Instant now = clock.instant();
    Duration next =
        everything()
            .map(run -> Duration.between(now, run.due))
            .min(Duration::compareTo)
            .orElse(IDLE);
    return next.isNegative() ? Duration.ZERO : next;
  }

  /** Whether all that is due got its turn. */
  private boolean isAdvanced(Instant start, List<Finding> found) {
    Instant together = start.plus(TOGETHER);
    List<Run> due =
        everything()
            .filter(run -> !together.isBefore(run.due))
            .sorted(Comparator.comparing(run -> run.due))
            .toList();
    for (Run run : due) {
      if (Duration.between(start, clock.instant()).compareTo(MAX_ROUND) > 0) {
        return false;
      }
      if (run.advance(found)) {
        LOGGER.debug("Done with {}", run.id());
        running.remove(run.id());
        answered.add(run.id());
      }
    }
    return true;
  }

  private Stream<Run> everything() {
    return Stream.concat(watches.stream(), running.values().stream());
  }

  private void adopt(Map<String, Action> wanted) {
    running.keySet().retainAll(wanted.keySet());
    answered.retainAll(wanted.keySet());
    factory.keep(wanted.values());
    wanted.forEach(
        (id, action) -> {
          if (!answered.contains(id) && !running.containsKey(id)) {
            LOGGER.debug("Beginning {}", id);
            running.put(id, new Run(action, () -> factory.begin(action)));
          }
        });
  }

  /** An activity over its attempts: when the next one is due, what it waits for. */
  private final class Run {
    private final Action action;
    private final Supplier<Activity> begin;
    private Activity activity;
    private Instant due = clock.instant();
    private Instant pausedSince = due;
    private Instant waitingSince;
    private String waitingFor = "";
    private String loggedWaitingFor = "";
    private int failures;

    /**
     * @param action null: a watch
     */
    Run(Action action, Supplier<Activity> begin) {
      this.action = action;
      this.begin = begin;
    }

    private String id() {
      return action == null ? "watch" : action.id();
    }

    /** A clock that was set back must not make a pause as long as the step. */
    private void notLaterThan(Instant now) {
      if (now.isBefore(pausedSince)) {
        pausedSince = now;
        due = now;
        waitingSince = now;
      }
    }

    /** Whether it is over. */
    private boolean advance(List<Finding> found) {
      Activity.Progress progress;
      try {
        progress = attempt(found);
      } catch (InterruptException e) {
        throw e;
      } catch (RuntimeException e) {
        failed(e);
        progress = new Activity.Again(RETRY_DELAY.of(failures), reason(e));
      }
      Instant now = clock.instant();
      if (progress instanceof Activity.Answered over) {
        waits("", now, found);
        found.add(over.answer());
        return true;
      }
      Activity.Again again = (Activity.Again) progress;
      waits(again.waitingFor(), now, found);
      pausedSince = now;
      due = now.plus(again.pause());
      return false;
    }

    private Activity.Progress attempt(List<Finding> found) {
      if (activity == null) {
        activity = begin.get();
      }
      Activity.Progress progress = activity.advance(found::add);
      if (failures > 0) {
        LOGGER.info("{} goes on after {} failures", id(), failures);
        failures = 0;
      }
      return progress;
    }

    private void failed(RuntimeException failure) {
      if (failures++ > 0) {
        LOGGER.debug("{} still fails", id(), failure);
      } else if (isOutage(failure)) {
        LOGGER.warn("{} is tried again; it waits for {}", id(), reason(failure), failure);
      } else {
        LOGGER.error(
            "{} failed and is tried again; if that does not help, restart the application",
            id(),
            failure);
      }
    }

    private static boolean isOutage(RuntimeException failure) {
      return failure instanceof KafkaException || failure instanceof RegistryException;
    }

    private static String reason(RuntimeException failure) {
      if (failure instanceof AuthorizationException) {
        return "a right in Kafka that the application's user lacks: " + failure.getMessage();
      }
      return failure instanceof RegistryException
          ? "the schema registry: " + failure.getMessage()
          : isOutage(failure)
              ? "the brokers: " + failure.getMessage()
              : "a failure that the log of the streams app describes: " + failure;
    }

    /** Tells what is waited for when the wait is long, and when that is over. */
    private void waits(String reason, Instant now, List<Finding> found) {
      if (reason.isEmpty() || waitingFor.isEmpty()) {
        waitingSince = now;
      }
      waitingFor = reason;
      boolean isLong =
          reason.isEmpty() || Duration.between(waitingSince, now).compareTo(LONG_WAIT) > 0;
      if (action != null && isLong && !reason.equals(loggedWaitingFor)) {
        loggedWaitingFor = reason;
        found.add(Finding.Waiting.of(action, reason));
      }
    }
  }
}
