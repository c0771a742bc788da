package io.indexview.streams.app;

import io.indexview.streams.app.AppStatus.AppState;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.error.ThreadFailures;
import io.indexview.streams.generation.TopicFit.InPlace;
import io.indexview.streams.generation.TopicFit.Misfit;
import io.indexview.streams.health.MetricsPage;
import io.indexview.streams.health.RestoreProgress;
import io.indexview.streams.topology.StreamsClients;
import io.indexview.streams.topology.StreamsSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kafka Streams in this process, from one start to the next. Safe for use by several threads. */
final class StreamsRun {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamsRun.class);

  /** Longer than anything takes that goes well. */
  private static final Duration LONG_WAIT = Duration.ofSeconds(30);

  private static final Duration FOLLOW_TOPICS = Duration.ofSeconds(3);

  private final AppConfig config;
  private final String instance;
  private final Function<Map<String, InPlace>, Topology> topology;
  private final StreamsClients clients;
  private final RefusingTopics refusingTopics;
  private final Supplier<Map<String, Misfit>> misfits;
  private final AppStatus status;
  private final RestoreProgress restore;
  private final StopSignal stop;
  private final ReentrantLock starting = new ReentrantLock();
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "indexview-topic-fit");
            thread.setDaemon(true);
            return thread;
          });

  /** The record sets that what runs does not derive. */
  private volatile Map<String, InPlace> setAside = Map.of();

  private volatile KafkaStreams current;
  private volatile boolean restarting;

  /**
   * @param instance what the ids of all clients begin with
   * @param topology of all record sets but those that are set aside
   * @param misfits the record sets that are to be set aside now; asked by several threads
   */
  StreamsRun(
      AppConfig config,
      String instance,
      Function<Map<String, InPlace>, Topology> topology,
      StreamsClients clients,
      RefusingTopics refusingTopics,
      Supplier<Map<String, Misfit>> misfits,
      AppStatus status,
      RestoreProgress restore,
      StopSignal stop) {
    this.restore = restore;
    this.config = config;
    this.instance = instance;
    this.topology = topology;
    this.clients = clients;
    this.refusingTopics = refusingTopics;
    this.misfits = misfits;
    this.status = status;
    this.stop = stop;
  }

  /** Starts, unless the application closes, and from now on follows which topics fit. */
  void start() {
    starting.lock();
    try {
      if (!stop.isStopped()) {
        begin();
        long pause = FOLLOW_TOPICS.toMillis();
        watch.scheduleWithFixedDelay(this::followTopics, pause, pause, TimeUnit.MILLISECONDS);
      }
    } finally {
      starting.unlock();
    }
  }

  private void begin() {
    starting.lock();
    try {
      if (stop.isStopped()) {
        return;
      }
      setAside = toSetAside();
      Properties settings = new Properties();
      settings.putAll(StreamsSettings.of(config, instance));
      KafkaStreams created = new KafkaStreams(topology.apply(setAside), settings, clients);
      created.setStateListener((next, previous) -> follow(created, next));
      created.setGlobalStateRestoreListener(restore);
      ThreadFailures failures =
          new ThreadFailures("A stream thread", stop, Clock.systemUTC(), status::fail);
      created.setUncaughtExceptionHandler(failure -> handle(failure, failures));
      current = created;
      created.start();
    } finally {
      starting.unlock();
    }
  }

  /**
   * Returns the record sets to set aside; the last known ones while the cluster does not answer.
   * Tells the clients which topics are gone, too.
   */
  private synchronized Map<String, InPlace> toSetAside() {
    try {
      Map<String, Misfit> known = misfits.get();
      clients.gone(
          known.values().stream()
              .flatMap(misfit -> misfit.goneTopic().stream())
              .collect(Collectors.toSet()));
      Map<String, InPlace> found = new LinkedHashMap<>();
      known.forEach(
          (recordSet, misfit) -> {
            found.put(recordSet, misfit.inPlace());
            if (!setAside.containsKey(recordSet)) {
              LOGGER.warn("Record set {} is set aside: {}", recordSet, misfit.reason());
            }
          });
      return found;
    } catch (KafkaException e) {
      LOGGER.debug("It is not known now which topics fit", e);
      return setAside;
    }
  }

  /**
   * Kafka Streams may see sooner than the watch that a topic does not fit. What a topic of a view
   * refuses is left out soon.
   */
  private StreamThreadExceptionResponse handle(Throwable failure, ThreadFailures failures) {
    if (!stop.isStopped() && (refusingTopics.isNew() || !toSetAside().equals(setAside))) {
      LOGGER.warn(
          "A stream thread ended because of one topic, which is gone, has other partitions or refuses rows; the thread is replaced, and leaves that topic out until it is mended",
          failure);
      return StreamThreadExceptionResponse.REPLACE_THREAD;
    }
    return failures.handle(failure);
  }

  private void followTopics() {
    try {
      if (!toSetAside().equals(setAside)) {
        LOGGER.info("Starting anew, with the record sets whose topics fit now");
        restart(before -> {});
      }
    } catch (RuntimeException e) {
      LOGGER.error(
          "The stream threads could not start anew with the record sets whose topics fit now; this is tried again",
          e);
    }
  }

  private void follow(KafkaStreams whose, KafkaStreams.State next) {
    switch (next) {
      case RUNNING -> status.become(AppState.RUNNING);
      case REBALANCING -> status.become(AppState.REBALANCING);
      case ERROR, NOT_RUNNING -> {
        if (!stop.isStopped() && !restarting && whose == current) {
          status.fail(new IllegalStateException("Kafka Streams ended in state " + next));
        }
      }
      default -> LOGGER.debug("Kafka Streams is {}", next);
    }
  }

  /**
   * Throws the local state away and starts again, so that it is restored from the changelogs.
   * Returns when it starts, or the application closes; not to be called on a stream thread.
   *
   * @return whether the state was thrown away; false: it stands, as the application closes
   */
  boolean restoreFromChangelog() {
    return restart(
        before -> {
          LOGGER.info("Restoring the state from its changelogs");
          before.cleanUp();
        });
  }

  private boolean restart(Consumer<KafkaStreams> meanwhile) {
    starting.lock();
    try {
      KafkaStreams before = current;
      if (before == null || stop.isStopped()) {
        return false;
      }
      restarting = true;
      status.become(AppState.REBALANCING);
      return StateReset.restart(after(before, meanwhile), stop);
    } finally {
      restarting = false;
      starting.unlock();
    }
  }

  private StateReset.Run after(KafkaStreams before, Consumer<KafkaStreams> meanwhile) {
    return new StateReset.Run() {
      @Override
      public boolean close() {
        // Another topic may have gone since, and the last commit wait for it.
        toSetAside();
        return before.close(leaving());
      }

      @Override
      public void cleanUp() {
        meanwhile.accept(before);
      }

      @Override
      public void startNext() {
        try {
          begin();
        } catch (StoppedException e) {
          // The application closes.
        } catch (RuntimeException e) {
          // Nothing runs now that would ask for it once more.
          status.fail(e);
          throw e;
        }
      }
    };
  }

  Map<MetricName, ? extends Metric> metrics() {
    KafkaStreams running = current;
    return running == null ? Map.of() : running.metrics();
  }

  /** What keeps a stream thread from its work; empty: nothing that shows. */
  String trouble() {
    String full = StateDirectory.trouble(config.stateDir());
    return full.isEmpty() ? trouble(metrics()) : full;
  }

  /**
   * A thread that waits in a request does not ask for events meanwhile. One that ended without
   * another in its place does not ask at all, and Kafka Streams says that it runs without any.
   */
  static String trouble(Map<MetricName, ? extends Metric> metrics) {
    if (largest(metrics, MetricsPage::isAliveThreads).orElse(1) == 0) {
      return "no stream thread runs; the log of the application says why: it goes on by itself when the names of the brokers can be resolved, and has to be restarted else";
    }
    double longest = largest(metrics, MetricsPage::isLastPoll).orElse(0);
    return longest <= LONG_WAIT.toSeconds()
        ? ""
        : "a stream thread has stood still for %.0f s: a broker or a topic that it writes does not answer, or it hangs (a thread dump says where)"
            .formatted(longest);
  }

  private static OptionalDouble largest(
      Map<MetricName, ? extends Metric> metrics, Predicate<MetricName> which) {
    return metrics.values().stream()
        .filter(metric -> which.test(metric.metricName()))
        .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue())
        .max();
  }

  /** Stops; whether it did within the time for it. */
  boolean close() {
    starting.lock();
    try {
      watch.shutdownNow();
      return current == null || current.close(leaving());
    } finally {
      starting.unlock();
    }
  }

  /**
   * Leaves the group: the next start, or the instances that stay, go on at once instead of after
   * the session's timeout.
   */
  private CloseOptions leaving() {
    return CloseOptions.timeout(config.shutdownTimeout())
        .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP);
  }

  /** Stops a stream processor that runs, does something to its state, and starts the next one. */
  static final class StateReset {
    private static final Logger LOGGER = LoggerFactory.getLogger(StateReset.class);

    private StateReset() {}

    /** What has the state, and what comes after it. */
    interface Run {
      /** Stops; whether it did within the time for it. It may be called again. */
      boolean close();

      void cleanUp();

      void startNext();
    }

    /**
     * Stops, throws the state away, and starts again. A thread that waits for the schema registry
     * stops when that answers, so stopping is waited for as long as the application runs; whatever
     * fails after it, the processor starts again.
     *
     * @return whether the state was thrown away; false: the application closes, and it stands
     */
    static boolean restart(Run run, StopSignal stop) {
      while (!run.close()) {
        if (stop.isStopped()) {
          return false;
        }
        LOGGER.warn(
            "The stream threads have not stopped yet, so they cannot start anew; see to it that brokers and schema registry answer");
      }
      if (stop.isStopped()) {
        return false;
      }
      try {
        run.cleanUp();
      } finally {
        run.startNext();
      }
      return true;
    }
  }
}
