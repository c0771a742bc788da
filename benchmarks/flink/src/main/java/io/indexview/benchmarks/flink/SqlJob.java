package io.indexview.benchmarks.flink;

import io.indexview.benchmarks.app.Entrant;
import io.indexview.benchmarks.app.Entrant.Kind;
import io.indexview.benchmarks.data.People;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryHttpServer;
import io.indexview.schemas.serde.Subjects;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * All views as one statement set, on a cluster of one task manager in this process.
 *
 * <p>Checkpoints are taken at their interval while there are events that none covers: the whole
 * state of a heap each second would cost the contestants whose turn it is.
 */
final class SqlJob implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration STOP = Duration.ofSeconds(20);

  /** Pause between checkpoints while nothing asks for one. */
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final RegistryHttpServer registry;
  private final MiniCluster cluster;
  private final Duration interval;
  private final CountDownLatch closing = new CountDownLatch(1);
  private JobID job;
  private Thread checkpoints;

  private SqlJob(RegistryHttpServer registry, MiniCluster cluster, Duration interval) {
    this.registry = registry;
    this.cluster = cluster;
    this.interval = interval;
  }

  /** Returns when all tasks run. */
  static SqlJob start(Entrant entrant) throws Exception {
    Configuration settings = Configuration.fromMap(settings(entrant));
    Duration interval = settings.get(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    settings.set(
        CheckpointingOptions.CHECKPOINTING_INTERVAL,
        interval.compareTo(IDLE) < 0 ? IDLE : interval);
    InMemorySchemaRegistry schemas = new InMemorySchemaRegistry();
    schemas.register(Subjects.value(entrant.changes()), People.SCHEMA);
    SqlJob sql =
        new SqlJob(
            new RegistryHttpServer(schemas),
            new MiniCluster(
                new MiniClusterConfiguration.Builder()
                    .setConfiguration(settings)
                    .setNumTaskManagers(1)
                    .setNumSlotsPerTaskManager(Entrant.THREADS)
                    .build()),
            interval);
    boolean started = false;
    try {
      sql.run(entrant, settings);
      started = true;
      return sql;
    } finally {
      if (!started) {
        sql.close();
      }
    }
  }

  private static Map<String, String> settings(Entrant entrant) throws IOException {
    Path checkpoints = entrant.directory().resolve("checkpoints");
    Map<String, String> settings = new HashMap<>();
    settings.put("state.backend.type", isHeap(entrant) ? "hashmap" : "rocksdb");
    settings.put("execution.checkpointing.interval", "1 s");
    settings.put(
        "execution.checkpointing.mode", isExactlyOnce(entrant) ? "EXACTLY_ONCE" : "AT_LEAST_ONCE");
    settings.put("execution.checkpointing.incremental", "true");
    settings.put("execution.checkpointing.dir", checkpoints.toUri().toString());
    settings.put(
        "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    settings.put("restart-strategy.type", "none");
    settings.put("parallelism.default", Integer.toString(Entrant.THREADS));
    // As much as the configuration that Flink comes with gives a task manager.
    settings.put("taskmanager.memory.managed.size", "512 mb");
    settings.put("io.tmp.dirs", Files.createDirectories(entrant.directory().resolve("tmp")) + "");
    // Checkpoints of a busy machine take their time.
    settings.put("pekko.ask.timeout", "60 s");
    settings.put("rest.address", "localhost");
    settings.put("rest.bind-port", "0");
    newest(checkpoints)
        .ifPresent(path -> settings.put("execution.state-recovery.path", path.toUri().toString()));
    settings.putAll(entrant.settings());
    return settings;
  }

  private static boolean isHeap(Entrant entrant) {
    return entrant.kind() == Kind.FLINK_HEAP || entrant.kind() == Kind.FLINK_HEAP_EXACTLY_ONCE;
  }

  private static boolean isExactlyOnce(Entrant entrant) {
    return entrant.kind() == Kind.FLINK_HEAP_EXACTLY_ONCE
        || entrant.kind() == Kind.FLINK_ROCKSDB_EXACTLY_ONCE;
  }

  /** The last checkpoint of a process before this one. */
  private static Optional<Path> newest(Path checkpoints) throws IOException {
    if (!Files.isDirectory(checkpoints)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(checkpoints)) {
      return files
          .filter(file -> file.endsWith("_metadata"))
          .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
          .map(Path::getParent);
    }
  }

  private void run(Entrant entrant, Configuration settings) throws Exception {
    cluster.start();
    URI address = cluster.getRestAddress().get();
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(
            StreamExecutionEnvironment.createRemoteEnvironment(
                address.getHost(), address.getPort(), settings));
    SqlTables sql = new SqlTables(entrant, isExactlyOnce(entrant), registry.url());
    sql.definitions().forEach(tables::executeSql);
    StatementSet inserts = tables.createStatementSet();
    sql.inserts().forEach(inserts::addInsertSql);
    job = inserts.execute().getJobClient().orElseThrow().getJobID();
    cluster.requestJobResult(job).thenAccept(this::endUnlessClosing);
    awaitCheckpoint();
    checkpoints = new Thread(() -> takeCheckpoints(entrant), "checkpoints");
    checkpoints.setUncaughtExceptionHandler((thread, failure) -> end(failure));
    checkpoints.start();
  }

  private void endUnlessClosing(JobResult result) {
    if (closing.getCount() > 0) {
      end(
          result
              .getSerializedThrowable()
              .map(failure -> failure.deserializeError(SqlJob.class.getClassLoader()))
              .orElseGet(() -> new IllegalStateException("the job has ended")));
    }
  }

  private static void end(Throwable failure) {
    failure.printStackTrace();
    Runtime.getRuntime().halt(1);
  }

  /** The first one is taken when all tasks run, and refused before. */
  private void awaitCheckpoint() throws Exception {
    long until = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        cluster.triggerCheckpoint(job).get(START.toSeconds(), TimeUnit.SECONDS);
        return;
      } catch (ExecutionException e) {
        if (System.nanoTime() > until || closing.await(100, TimeUnit.MILLISECONDS)) {
          throw e;
        }
      }
    }
  }

  private void takeCheckpoints(Entrant entrant) {
    try (Coverage coverage = new Coverage(entrant)) {
      while (!closing.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
        if (!coverage.isComplete()) {
          cluster.triggerCheckpoint(job).get();
        }
      }
    } catch (ExecutionException | InterruptedException e) {
      if (closing.getCount() > 0) {
        throw new IllegalStateException("no checkpoint, no end of the turn", e);
      }
    }
  }

  @Override
  public void close() throws Exception {
    closing.countDown();
    try (registry;
        cluster) {
      if (checkpoints != null) {
        checkpoints.join();
      }
      if (job != null) {
        cluster.cancelJob(job).get(STOP.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  /** Which events the last checkpoint covers: those whose offsets are committed. */
  private static final class Coverage implements AutoCloseable {
    private final Entrant entrant;
    private final Admin admin;
    private Map<TopicPartition, Long> lastEnds = Map.of();

    Coverage(Entrant entrant) {
      this.entrant = entrant;
      this.admin =
          Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, entrant.bootstrap()));
    }

    /** A record that ends a transaction is behind the last event, and no offset comes behind it. */
    boolean isComplete() throws ExecutionException, InterruptedException {
      Map<TopicPartition, Long> ends = ends();
      Map<TopicPartition, OffsetAndMetadata> committed =
          admin.listConsumerGroupOffsets(entrant.id()).partitionsToOffsetAndMetadata().get();
      boolean isSeen = ends.equals(lastEnds);
      lastEnds = ends;
      return isSeen
          && ends.entrySet().stream()
              .allMatch(end -> end.getValue() - offset(committed.get(end.getKey())) <= 1);
    }

    private static long offset(OffsetAndMetadata committed) {
      return committed == null ? 0 : committed.offset();
    }

    private Map<TopicPartition, Long> ends() throws ExecutionException, InterruptedException {
      Map<TopicPartition, OffsetSpec> asked =
          IntStream.range(0, Entrant.PARTITIONS)
              .mapToObj(number -> new TopicPartition(entrant.changes(), number))
              .collect(Collectors.toMap(one -> one, unused -> OffsetSpec.latest()));
      return admin
          .listOffsets(asked, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
          .all()
          .get()
          .entrySet()
          .stream()
          .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    @Override
    public void close() {
      admin.close();
    }
  }
}
