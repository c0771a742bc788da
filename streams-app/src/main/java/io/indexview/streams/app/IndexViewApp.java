package io.indexview.streams.app;

import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StoppedException;
import io.indexview.streams.error.ThreadFailures;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.HealthReport;
import io.indexview.streams.health.HealthServer;
import io.indexview.streams.health.MetricsPage;
import io.indexview.streams.topology.IndexViewTopology;
import io.indexview.streams.topology.StreamsSettings;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The streams application in this process. Safe for use by several threads.
 *
 * <p>{@link #start} returns at once; the app then checks the view files, waits for what it needs
 * (record schemas, source topics), freezes the generations and begins to derive.
 */
public final class IndexViewApp implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(IndexViewApp.class);

  private static final Duration START_GRACE = Duration.ofSeconds(2);

  private final AppConfig config;
  private final AppStatus status = new AppStatus();
  private final StopSignal stop = new StopSignal();
  private final RegistryWait registryWait = new RegistryWait(stop);
  private final AppMetrics metrics = new AppMetrics();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final SchemaRegistry registry;
  private final HealthServer health;
  private final Thread starter;
  private volatile KafkaStreams streams;

  private IndexViewApp(AppConfig config) {
    this.config = config;
    StateDirectory.prepare(config.stateDir());
    this.registry = SchemaRegistries.create(config.originals());
    this.health = serveHealth();
    this.starter = new Thread(this::run, "indexview-start");
    // Not even a missing native library may leave the app starting for ever.
    starter.setUncaughtExceptionHandler((thread, failure) -> status.fail(failure));
  }

  private HealthServer serveHealth() {
    MetricsPage page = new MetricsPage(metrics, this::kafkaMetrics, registryWait::waiting);
    try {
      return HealthServer.start(config.httpHost(), config.httpPort(), this::report, page);
    } catch (UncheckedIOException e) {
      registry.close();
      throw e;
    }
  }

  /** Runs the command line of the application and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new IndexViewCommand()).execute(args));
  }

  /**
   * Starts the app; the health endpoints answer when this returns.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException if the state directory cannot be
   *     used
   * @throws UncheckedIOException if the address of the health endpoints is taken
   */
  public static IndexViewApp start(AppConfig config) {
    IndexViewApp app = new IndexViewApp(config);
    app.starter.start();
    return app;
  }

  private void run() {
    try {
      new Starter(config, registry, registryWait, stop, status::startDetail).freeze();
      IndexViewTopology topology =
          new IndexViewTopology(config, new DeriverServices(registry, registryWait, metrics));
      Properties settings = new Properties();
      settings.putAll(StreamsSettings.of(config));
      KafkaStreams created = new KafkaStreams(topology.build(), settings);
      streams = created;
      created.setStateListener((next, previous) -> follow(next));
      created.setUncaughtExceptionHandler(
          new ThreadFailures(stop, Clock.systemUTC(), status::fail));
      if (!stop.isStopped()) {
        created.start();
      }
    } catch (StoppedException | InterruptException e) {
      LOGGER.debug("The start was given up", e);
    } catch (RuntimeException e) {
      status.fail(e);
    }
  }

  private void follow(KafkaStreams.State next) {
    switch (next) {
      case RUNNING -> status.become(AppState.RUNNING);
      case REBALANCING -> status.become(AppState.REBALANCING);
      case ERROR, NOT_RUNNING -> {
        if (!closing.get()) {
          status.fail(new IllegalStateException("Kafka Streams ended in state " + next));
        }
      }
      default -> LOGGER.debug("Kafka Streams is {}", next);
    }
  }

  private Map<MetricName, ? extends Metric> kafkaMetrics() {
    KafkaStreams current = streams;
    return current == null ? Map.of() : current.metrics();
  }

  private HealthReport report() {
    AppState state = status.state();
    int waits = registryWait.waiting();
    boolean works = state == AppState.RUNNING || state == AppState.REBALANCING;
    String detail = waits > 0 ? "waiting for the schema registry" : status.detail();
    return new HealthReport(state != AppState.FAILED, works && waits == 0, state.name(), detail);
  }

  public AppState state() {
    return status.state();
  }

  /** Why the state is {@link AppState#FAILED}; empty otherwise. */
  public Optional<Throwable> failure() {
    return status.failure();
  }

  /** Where {@code /health/live}, {@code /health/ready} and {@code /metrics} are served. */
  public InetSocketAddress httpAddress() {
    return health.address();
  }

  /** The counters of the app, as {@code /metrics} shows them. */
  public AppMetrics metrics() {
    return metrics;
  }

  /**
   * Waits until the app runs.
   *
   * @throws IllegalStateException if it failed or was closed (cause kept), or the time is over
   */
  public void awaitRunning(Duration timeout) throws InterruptedException {
    AppState reached =
        status.await(EnumSet.of(AppState.RUNNING, AppState.FAILED, AppState.CLOSED), timeout);
    if (reached != AppState.RUNNING) {
      throw new IllegalStateException(
          "the streams application is %s and not running after %s: %s"
              .formatted(reached, timeout, status.detail()),
          status.failure().orElse(null));
    }
  }

  /** Waits until the app failed or was closed; returns which. */
  public AppState awaitEnd() throws InterruptedException {
    return status.awaitEnd();
  }

  /** Stops within {@code shutdown.timeout.ms}; safe to call again. */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    stop.stop();
    try {
      joinStarter();
      KafkaStreams current = streams;
      if (current != null && !current.close(leaving())) {
        LOGGER.warn(
            "Kafka Streams did not stop within {}; its open transactions will be aborted",
            config.shutdownTimeout());
      }
    } finally {
      status.become(AppState.CLOSED);
      health.close();
      registry.close();
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

  /** A start that waits ends by the stop signal; one that hangs in a request is interrupted. */
  private void joinStarter() {
    try {
      starter.join(START_GRACE.toMillis());
      starter.interrupt();
      starter.join(config.shutdownTimeout().toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
