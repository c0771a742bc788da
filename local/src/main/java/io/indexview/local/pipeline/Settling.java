package io.indexview.local.pipeline;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.local.ConnectClient;
import io.indexview.local.Poll;
import io.indexview.local.StackAddresses;
import io.indexview.local.StackException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.ViewGeneration;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Follows what was written through the stages of a pipeline, in their order, to the views. For one
 * thread, but {@link #close} for any.
 */
public final class Settling implements AutoCloseable {
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);

  private final StackAddresses stack;
  private final List<String> recordSets;
  private final List<String> connectors;
  private final String applicationId;
  private final Predicate<String> followed;
  private final Topics topics;
  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final SchemaRegistry registry;
  private final ControlTable<SourceState> sources;
  private final GroupProgress progress;
  private final ViewAdmin views;
  private long nextCheck = System.nanoTime();
  private volatile boolean closed;

  /**
   * @param recordSets in the KV store
   * @param connectors names of all connectors on the path
   * @param applicationId of the streams app
   * @param followed which views to wait for
   */
  public Settling(
      StackAddresses stack,
      List<String> recordSets,
      List<String> connectors,
      String applicationId,
      Predicate<String> followed) {
    this.stack = stack;
    this.recordSets = List.copyOf(recordSets);
    this.connectors = List.copyOf(connectors);
    this.applicationId = applicationId;
    this.followed = followed;
    this.topics = stack.topics();
    Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
    this.admin = Admin.create(kafka);
    this.reader = ControlTable.consumer(kafka);
    this.registry =
        SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString()));
    this.sources =
        new ControlTable<>(
            topics.sourceStates(),
            ControlTable.consumer(kafka),
            new AvroDeserializer(registry, ControlSchemas.SOURCE_STATE),
            SourceState::of);
    this.progress = new GroupProgress(admin, reader);
    this.views = ViewAdmin.connect(kafka, topics, registry, Clock.systemUTC());
  }

  /**
   * Waits until everything written to the store and the bucket before the call is in the views, and
   * every view is READY.
   *
   * @throws StackException naming the stage that is stuck, after the timeout
   */
  public void settle(Duration timeout) throws InterruptedException {
    long since = System.currentTimeMillis();
    long deadline = System.nanoTime() + timeout.toNanos();
    stage("the KV store source to find every change", deadline, () -> storeScanned(since));
    stage("the S3 source to empty the queue", deadline, () -> stack.queuedNotifications() == 0);
    List<String> changes = new ArrayList<>();
    recordSets.forEach(set -> changes.add(topics.changes(set)));
    changes.add(topics.changes(PipelineSpec.FILES));
    stage(
        "the streams app to derive",
        deadline,
        () -> progress.behind(applicationId, changes).isEmpty());
    stage(this::unready, deadline, () -> views().stream().allMatch(ViewStatus::ready));
    applied(Connectors.KV_SINK, "kv", deadline);
    applied(Connectors.DYNAMODB_SINK, "dynamodb", deadline);
  }

  /**
   * Waits until the sources have said how they read the values of every record set: nobody else
   * reads or writes them before.
   *
   * @throws StackException naming a connector that has failed, or after the timeout
   */
  void awaitValues(Duration timeout) throws InterruptedException {
    Set<String> awaited = recordSets.stream().map(topics::changes).collect(Collectors.toSet());
    stage(
        "the KV store source to say how it reads values",
        System.nanoTime() + timeout.toNanos(),
        () ->
            sources.refresh().values().stream()
                .filter(state -> state.values().isPresent())
                .map(SourceState::topic)
                .collect(Collectors.toSet())
                .containsAll(awaited));
  }

  /**
   * Every source partition of every record set has ended a scan that it began since then, or
   * followed all changes from a scan to then.
   */
  private boolean storeScanned(long sinceMs) {
    List<SourceState> states = List.copyOf(sources.refresh().values());
    return recordSets.stream()
        .map(topics::changes)
        .allMatch(
            topic -> {
              List<SourceState> sourcePartitions =
                  states.stream().filter(state -> state.topic().equals(topic)).toList();
              return !sourcePartitions.isEmpty()
                  && sourcePartitions.stream()
                      .allMatch(
                          sourcePartition ->
                              sourcePartition.upToDate().stream()
                                  .anyMatch(scan -> scan.startedAtMs() >= sinceMs));
            });
  }

  private String unready() {
    return views().stream()
        .filter(view -> !view.ready())
        .map(view -> "%s, %s (%s)".formatted(view.view(), view.phase(), view.reason()))
        .collect(Collectors.joining("; ", "the views to be READY: ", ""));
  }

  private void applied(String sink, String target, long deadline) throws InterruptedException {
    List<String> viewTopics =
        generations().stream()
            .filter(generation -> generation.definition().target().type().equals(target))
            .map(ViewGeneration::viewTopic)
            .toList();
    stage(
        sink + " to apply",
        deadline,
        () -> progress.behind("connect-" + sink, viewTopics).isEmpty());
  }

  private void stage(String what, long deadline, Callable<Boolean> done)
      throws InterruptedException {
    stage(() -> what, deadline, done);
  }

  /**
   * @param what is asked when it was waited for in vain
   */
  private void stage(Supplier<String> what, long deadline, Callable<Boolean> done)
      throws InterruptedException {
    try {
      Poll.until(
          () -> isDone(done) ? Optional.of(true) : Optional.empty(),
          Duration.ofNanos(Math.max(1, deadline - System.nanoTime())),
          () -> new StackException("waited in vain for " + what.get() + "; its log says more"));
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("cannot wait for " + what.get() + ": " + e.getMessage(), e);
    }
  }

  private boolean isDone(Callable<Boolean> done) throws Exception {
    synchronized (reader) {
      if (closed) {
        throw new StackException("the stack was closed meanwhile");
      }
      checkConnectors();
      return done.call();
    }
  }

  /** A task that has failed is not waited for. */
  private void checkConnectors() {
    if (System.nanoTime() < nextCheck) {
      return;
    }
    nextCheck = System.nanoTime() + CHECK_INTERVAL.toNanos();
    for (String name : connectors) {
      stack
          .connect()
          .status(name)
          .flatMap(ConnectClient.Status::failure)
          .ifPresent(
              trace -> {
                throw new StackException("connector " + name + " has failed: " + trace);
              });
    }
  }

  private List<ViewStatus> views() {
    return views.list().stream().filter(view -> followed.test(view.view())).toList();
  }

  /** The generations that serve. */
  public List<ViewGeneration> generations() {
    return views().stream()
        .flatMap(view -> view.state().flatMap(ViewState::serving).stream())
        .map(serving -> ViewGeneration.fromJson(serving.description()))
        .toList();
  }

  /** Ends a wait in progress. */
  @Override
  public void close() {
    closed = true;
    synchronized (reader) {
      reader.close();
      sources.close();
      views.close();
    }
    admin.close();
    registry.close();
  }
}
