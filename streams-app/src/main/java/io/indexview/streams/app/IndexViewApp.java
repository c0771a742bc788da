package io.indexview.streams.app;

import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.streams.app.AppStatus.AppState;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.controller.Controller;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.generation.EventReaders;
import io.indexview.streams.generation.TopicFit;
import io.indexview.streams.generation.TopicFit.InPlace;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.HealthServer;
import io.indexview.streams.health.HealthServer.HealthReport;
import io.indexview.streams.health.MetricsPage;
import io.indexview.streams.task.GenerationReader;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TaskServices.AppPosition;
import io.indexview.streams.task.TaskServices.ChangeTopicReaders;
import io.indexview.streams.task.TaskServices.TopicIdentity;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.streams.topology.IndexViewTopology;
import io.indexview.streams.topology.StreamsClients;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.streams.Topology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The streams application in this process. Safe for use by several threads.
 *
 * <p>{@link #start} returns at once; the app then checks the view files, waits for what it needs
 * (record schemas, source topics), asks for the views of the files and begins to derive.
 */
public final class IndexViewApp implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(IndexViewApp.class);

  private static final Duration START_GRACE = Duration.ofSeconds(2);

  private final AppConfig config;
  private final String instance;
  private final StopSignal stop = new StopSignal();
  private final RegistryWait registryWait = new RegistryWait(stop);
  private final AppMetrics metrics;
  private final AppStatus status;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final SchemaRegistry registry;
  private final HealthServer health;
  private final Thread starter;
  private final TrimmedEvents trimmedEvents = new TrimmedEvents();
  private final RefusingTopics refusingTopics;
  private final StreamsClients streamsClients;
  private final StreamsRun streams;
  private final ChangelogRestore changelogRestore;
  private volatile Controller controller;
  private volatile AppPosition position;
  private volatile TopicIdentity topics;
  private volatile ChangeTopicReaders changeTopicReaders;
  private volatile TopicFit topicFit;

  private IndexViewApp(AppConfig config) {
    this.config = config;
    StateDirectory.prepare(config.stateDir());
    this.instance = StateDirectory.clientId(config);
    LOGGER.info("The ids of this instance's clients begin with {}", instance);
    StateDirectory.loadEngine();
    this.registry = SchemaRegistries.create(config.values());
    this.refusingTopics = new RefusingTopics(config.topics()::isView, Clock.systemUTC());
    this.streamsClients = new StreamsClients(trimmedEvents, refusingTopics, registry, stop);
    this.metrics = new AppMetrics(instance, this::registryWaits);
    this.status = new AppStatus(Time.SYSTEM, metrics.restore());
    this.streams =
        new StreamsRun(
            config,
            instance,
            this::topology,
            streamsClients,
            refusingTopics,
            () -> topicFit.misfits(),
            status,
            metrics.restore(),
            stop);
    this.changelogRestore =
        new ChangelogRestore(
            config.stateDir().resolve("restored-" + config.applicationId()),
            streams::restoreFromChangelog);
    this.health = serveHealth();
    this.starter = new Thread(this::run, "indexview-start");
    // Not even an error may leave the app starting for ever.
    starter.setUncaughtExceptionHandler((thread, failure) -> status.fail(failure));
  }

  private HealthServer serveHealth() {
    MetricsPage page = new MetricsPage(metrics, streams::metrics);
    try {
      return HealthServer.start(config.httpHost(), config.httpPort(), this::report, page);
    } catch (RuntimeException e) {
      metrics.close();
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
   * @throws IllegalStateException if RocksDB's native library cannot be loaded
   * @throws UncheckedIOException if the address of the health endpoints is taken
   */
  public static IndexViewApp start(AppConfig config) {
    IndexViewApp app = new IndexViewApp(config);
    app.starter.start();
    return app;
  }

  private void run() {
    try {
      prepare();
      controller.start();
      streams.start();
    } catch (StoppedException | InterruptException e) {
      LOGGER.debug("The start was given up", e);
    } catch (RuntimeException e) {
      status.fail(e);
    }
  }

  private void prepare() {
    AppClients clients = AppClients.open(config, instance, registry);
    controller = clients.controller(metrics.viewStates(), stop, status::fail);
    position = clients.position();
    topics = clients.topicIdentity();
    // Asks for them: a task that begins before they are known is not certain of what it reads.
    config.recordSets().forEach(recordSet -> topics.of(recordSet.topic()));
    changeTopicReaders = clients.changeTopicReaders();
    topicFit = new TopicFit(config, clients.cluster());
    new Starter(config, registry, registryWait, stop, status::startDetail).start(clients);
  }

  /** Record sets last: they may be appended, and whatever comes before them keeps its number. */
  private Topology topology(Map<String, InPlace> setAside) {
    EventReaders readers = new EventReaders(config.recordSets(), registry);
    DeriverServices deriving =
        new DeriverServices(
            registry,
            registryWait,
            new OrderGuard(config.tombstoneRetention()),
            metrics,
            Time.SYSTEM,
            location -> readers.of(location.recordSet()));
    TaskServices services =
        new TaskServices(
            deriving,
            new GenerationReader(registry),
            position,
            topics,
            changelogRestore,
            changeTopicReaders,
            new FailedEvents(Clock.systemUTC()),
            trimmedEvents,
            refusingTopics);
    IndexViewTopology topology = new IndexViewTopology(config, services, setAside);
    streamsClients.restWhile(topology::isAtRest);
    return topology.topology();
  }

  private int registryWaits() {
    return registryWait.waiting() + streamsClients.withheld();
  }

  private HealthReport report() {
    AppState state = status.state();
    String trouble = status.trouble();
    if (trouble.isEmpty() && registryWaits() > 0) {
      trouble = "waiting for the schema registry";
    } else if (trouble.isEmpty() && controller != null) {
      trouble = controller.trouble();
    }
    if (trouble.isEmpty() && state == AppState.RUNNING) {
      trouble = streams.trouble();
    }
    boolean works = state == AppState.RUNNING || state == AppState.REBALANCING;
    return new HealthReport(
        state != AppState.FAILED, works && trouble.isEmpty(), state.name(), trouble);
  }

  AppState state() {
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

  /** The counters of the app, as {@code /metrics} and MBeans show them. */
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
  AppState awaitEnd() throws InterruptedException {
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
      if (!streams.close()) {
        LOGGER.warn(
            "Kafka Streams did not stop within {} (shutdown.timeout.ms); the brokers abort its transactions, and their events are processed again",
            config.shutdownTimeout());
      }
      if (controller != null) {
        controller.close();
      }
    } finally {
      streamsClients.close();
      status.become(AppState.CLOSED);
      health.close();
      metrics.close();
      registry.close();
    }
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
