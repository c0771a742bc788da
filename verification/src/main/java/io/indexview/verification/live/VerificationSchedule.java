package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.verification.NotReadableHereException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for a verification of every view now and then, and forgets those of views that are gone.
 * Several processes may do so: each sees what the others asked for.
 */
public final class VerificationSchedule implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(VerificationSchedule.class);
  private static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final Supplier<List<ViewVerification>> known;
  private final Consumer<ViewVerification> forget;
  private final Consumer<String> request;
  private final Supplier<Map<String, Duration>> intervals;
  private final InstantSource clock;
  private boolean failing;

  /** What was said of views that are due and not verified, last. */
  private final Map<String, String> logged = new HashMap<>();

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          runnable -> {
            Thread made = new Thread(runnable, "verification-schedule");
            made.setDaemon(true);
            return made;
          });

  /**
   * How often.
   *
   * @param interval from one request for a verification of a view to the next; zero: never
   * @param ofViews the same of single views, by name; what a view's definition says goes before
   */
  public record Every(Duration interval, Map<String, Duration> ofViews, Limits limits) {
    public Every {
      ofViews = Map.copyOf(ofViews);
    }

    Duration of(String view, Optional<Duration> ofDefinition) {
      return ofDefinition.orElseGet(() -> ofViews.getOrDefault(view, interval));
    }
  }

  /**
   * @param known the newest first
   * @param intervals of all views that there are, by name; zero: never
   */
  VerificationSchedule(
      Supplier<List<ViewVerification>> known,
      Consumer<ViewVerification> forget,
      Consumer<String> request,
      Supplier<Map<String, Duration>> intervals,
      InstantSource clock) {
    this.known = known;
    this.forget = forget;
    this.request = request;
    this.intervals = intervals;
    this.clock = clock;
  }

  /**
   * Starts one.
   *
   * @param log stays open
   * @param views all that there are, by name, with the intervals of their definitions
   */
  public static VerificationSchedule start(
      VerificationLog log,
      VerificationAdmin admin,
      Supplier<Map<String, Optional<Duration>>> views,
      Every every) {
    VerificationSchedule schedule =
        new VerificationSchedule(
            log::all,
            log::forget,
            view ->
                admin.request(
                    view,
                    new VerificationOptions(
                        every.limits(), VerificationOptions.ALL, false, false, false)),
            () -> intervals(views.get(), every),
            InstantSource.system());
    schedule.thread.scheduleWithFixedDelay(
        schedule::tryOnce, 0, CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    return schedule;
  }

  private static Map<String, Duration> intervals(
      Map<String, Optional<Duration>> views, Every every) {
    Map<String, Duration> intervals = new TreeMap<>();
    views.forEach((view, ofDefinition) -> intervals.put(view, every.of(view, ofDefinition)));
    return intervals;
  }

  /**
   * Schedules once, and logs whatever goes wrong: an exception would end the schedule without a
   * word.
   */
  void tryOnce() {
    try {
      once();
      failing = false;
    } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
      if (!failing) {
        LOGGER.warn(
            "No verification is scheduled until Kafka and the registry answer, tried each {} s",
            CHECK_INTERVAL.toSeconds(),
            e);
      }
      failing = true;
    }
  }

  void once() {
    List<ViewVerification> newestFirst = known.get();
    Map<String, Duration> standing = intervals.get();
    newestFirst.stream()
        .filter(one -> one.status().isOver() && !standing.containsKey(one.view()))
        .forEach(forget);
    logged.keySet().retainAll(standing.keySet());
    standing.forEach(
        (view, interval) -> {
          if (isDue(view, interval, newestFirst)) {
            request(view);
          }
        });
  }

  /** Samples do not count. */
  private boolean isDue(String view, Duration interval, List<ViewVerification> newestFirst) {
    if (interval.isZero()) {
      return false;
    }
    List<ViewVerification> ofView =
        newestFirst.stream().filter(one -> one.view().equals(view)).toList();
    Optional<ViewVerification> last =
        ofView.stream().filter(one -> one.options().isOfAllRows()).findFirst();
    return ofView.stream().allMatch(one -> one.status().isOver())
        && (last.isEmpty() || clock.millis() - last.get().requestedAtMs() >= interval.toMillis());
  }

  private void request(String view) {
    try {
      request.accept(view);
      logged.remove(view);
    } catch (NotReadableHereException e) {
      if (isNews(view, e)) {
        LOGGER.warn(
            "View {} is due, and the schedule of this server cannot have it verified: {}",
            view,
            e.getMessage());
      }
    } catch (NotVerifiableException | ViewNotFoundException e) {
      LOGGER.debug("View {} cannot be verified now", view, e);
    } catch (KafkaException | RegistryException e) {
      // It is so for all views.
      throw e;
    } catch (RuntimeException e) {
      if (isNews(view, e)) {
        LOGGER.warn(
            "View {} is due, and its verification cannot be asked for, which is tried each {} s; perhaps the streams app is of a newer release, then upgrade this server: {}",
            view,
            CHECK_INTERVAL.toSeconds(),
            e.getMessage(),
            e);
      }
    }
  }

  private boolean isNews(String view, RuntimeException trouble) {
    return !trouble.toString().equals(logged.put(view, trouble.toString()));
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
        LOGGER.warn(
            "The schedule of verifications does not end within {} s, as Kafka does not answer;"
                + " nothing is lost, end the process",
            CLOSE.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
