package io.indexview.benchmarks.app;

import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.People;
import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.kvstore.sink.KvStoreSinkConnector;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.generation.KafkaCluster;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.cli.ConnectStandalone;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.Herder;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorInfo;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorStateInfo;
import org.apache.kafka.connect.runtime.standalone.StandaloneHerder;
import org.apache.kafka.connect.util.FutureCallback;

/**
 * The rows of the streams app in an embedded KV store, as the kvstore sink writes them, with its
 * defaults, in a Connect worker of this process; and how long after their time events can be read
 * there, in the first view. Of the people every twentieth is watched: one who looks all the time
 * for all rows would be most of the load.
 */
final class StoredRows implements LiveLoad.Sending, AutoCloseable {
  private static final int WATCHED = 20;
  private static final long PASS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Duration START = Duration.ofMinutes(2);
  private static final Duration LAST = Duration.ofMinutes(2);
  private static final String LOCALHOST = "127.0.0.1";

  private final String connector;
  private final Connect<StandaloneHerder> worker;
  private final KvStore store;
  private final KvLayout layout;
  private final Thread watcher = new Thread(this::watch, "stored-rows-watcher");
  private final Queue<Expected> sent = new ConcurrentLinkedQueue<>();
  private final AtomicInteger missing = new AtomicInteger();
  private volatile Latencies latencies = new Latencies();
  private volatile boolean watching = true;
  private volatile RuntimeException failure;

  /** A row that an event has. */
  private record Expected(int person, KvPath path, KvKey key, long due) {}

  private StoredRows(
      Entrant entrant, String connector, Connect<StandaloneHerder> worker, KvStore store) {
    this.connector = connector;
    this.worker = worker;
    this.store = store;
    this.layout = KvLayout.of(entrant.generations().get(0));
  }

  /**
   * Begins to write the rows that there are, and those that come.
   *
   * @param entrant an app that runs and has saved its registry
   */
  static StoredRows start(Entrant entrant) throws Exception {
    InMemorySchemaRegistry registry = InMemorySchemaRegistry.shared(entrant.id());
    ShippedApp.loadRegistry(entrant, registry);
    BenchStore files = new BenchStore(entrant.directory());
    KvStore store = files.open(KvDurability.SYNC);
    Thread thread = Thread.currentThread();
    ClassLoader outside = thread.getContextClassLoader();
    Connect<StandaloneHerder> worker = null;
    boolean started = false;
    try {
      // The worker swaps the context class loader of the thread that starts it.
      worker = new ConnectStandalone().startConnect(worker(entrant));
      String connector = entrant.id() + "-sink";
      FutureCallback<Herder.Created<ConnectorInfo>> created = new FutureCallback<>();
      worker
          .herder()
          .putConnectorConfig(connector, sink(entrant, connector, files), false, created);
      created.get(START.toMillis(), TimeUnit.MILLISECONDS);
      awaitTasks(entrant, connector);
      StoredRows rows = new StoredRows(entrant, connector, worker, store);
      rows.watcher.start();
      started = true;
      return rows;
    } finally {
      thread.setContextClassLoader(outside);
      if (!started) {
        if (worker != null) {
          worker.stop();
        }
        store.close();
      }
    }
  }

  /** What the tasks take from each other as they start is no part of what is measured. */
  private static void awaitTasks(Entrant entrant, String connector) throws Exception {
    String group = "connect-" + connector;
    long until = System.nanoTime() + START.toNanos();
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, entrant.bootstrap()))) {
      KafkaCluster cluster = new KafkaCluster(admin, (short) 1);
      while (!cluster.assignment(group).map(StoredRows::isShared).orElse(false)) {
        if (System.nanoTime() > until) {
          throw new IOException("the sink's tasks have no partitions after %s".formatted(START));
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }

  private static boolean isShared(Map<String, Set<TopicPartition>> assignment) {
    return assignment.size() == Entrant.THREADS
        && assignment.values().stream().noneMatch(Set::isEmpty);
  }

  private static Map<String, String> worker(Entrant entrant) {
    return Map.of(
        "bootstrap.servers",
        entrant.bootstrap(),
        "listeners",
        "http://" + LOCALHOST + ":0",
        "rest.advertised.host.name",
        LOCALHOST,
        "plugin.discovery",
        "service_load",
        "key.converter",
        AvroConverter.class.getName(),
        "value.converter",
        AvroConverter.class.getName(),
        "offset.storage.file.filename",
        entrant.directory().resolve("connect-offsets").toString());
  }

  private static Map<String, String> sink(Entrant entrant, String name, BenchStore files) {
    Map<String, String> config = new HashMap<>();
    config.put("name", name);
    config.put("connector.class", KvStoreSinkConnector.class.getName());
    config.put("tasks.max", Integer.toString(Entrant.THREADS));
    config.put("topic.prefix", entrant.id());
    config.put("topics.regex", new Topics(entrant.id()).sinkPattern(Target.Kv.TYPE));
    for (String part : List.of("key.converter", "value.converter")) {
      config.put(part, AvroConverter.class.getName());
      config.put(part + ".schema.registry.url", "mock://" + entrant.id());
    }
    config.put("consumer.override.isolation.level", "read_committed");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    config.put("consumer.override.auto.offset.reset", "earliest");
    config.put("kvstore.uri", files.uri());
    return config;
  }

  @Override
  public void sends(int person, GenericRecord changed, long due) {
    if (person % WATCHED == 0) {
      KvPath path =
          layout.path(
              field ->
                  field.equals(ViewFields.PRIMARY_KEY) ? People.key(person) : changed.get(field));
      missing.incrementAndGet();
      sent.add(new Expected(person, path, new KvKey(path.major(), path.minor()), due));
    }
  }

  private void watch() {
    Map<Integer, List<Expected>> open = new HashMap<>();
    try {
      while (watching) {
        for (Expected next = sent.poll(); next != null; next = sent.poll()) {
          open.computeIfAbsent(next.person(), unused -> new ArrayList<>()).add(next);
        }
        open.values().removeIf(this::areThere);
        LockSupport.parkNanos(PASS_NANOS);
      }
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Whether all are; a row stands for what its person's events before changed, too. */
  private boolean areThere(List<Expected> rows) {
    for (int last = rows.size() - 1; last >= 0; last--) {
      if (isThere(rows.get(last))) {
        long now = System.nanoTime();
        List<Expected> seen = rows.subList(0, last + 1);
        seen.forEach(row -> latencies.add(now - row.due()));
        missing.addAndGet(-seen.size());
        seen.clear();
        break;
      }
    }
    return rows.isEmpty();
  }

  private boolean isThere(Expected row) {
    Optional<KvRecord> found = store.get(row.key());
    return found.isPresent()
        && (long) layout.row(row.path(), found.get().value()).values().get(LiveLoad.DUE)
            >= row.due();
  }

  /** Latencies of the watched events that were seen since the last call. */
  Latencies window() throws IOException {
    if (failure != null) {
      throw new IOException("rows cannot be read from the store: " + failure, failure);
    }
    for (ConnectorStateInfo.TaskState task : worker.herder().connectorStatus(connector).tasks()) {
      if (task.state().equals("FAILED")) {
        throw new IOException("the sink has failed: " + task.trace());
      }
    }
    Latencies last = latencies;
    latencies = new Latencies();
    return last;
  }

  /**
   * Waits until all watched events are seen.
   *
   * @return as {@link #window}
   */
  Latencies finish() throws IOException, InterruptedException {
    long until = System.nanoTime() + LAST.toNanos();
    while (missing.get() > 0) {
      if (failure != null || System.nanoTime() > until) {
        // Says why, where that is known.
        window();
        throw new IOException("rows are missing in the store after %s".formatted(LAST));
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return window();
  }

  @Override
  public void close() throws InterruptedException {
    watching = false;
    watcher.join();
    worker.stop();
    worker.awaitStop();
    store.close();
  }
}
