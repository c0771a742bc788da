package io.indexview.local.pipeline;

import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.Poll;
import io.indexview.local.StackException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.Subjects;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Follows what was written through the stages of a pipeline, in their order, to the views. For one
 * thread, but {@link #close} for any.
 */
final class Settling implements AutoCloseable {
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);

  private final LocalStack stack;
  private final PipelineSpec spec;
  private final List<String> connectors;
  private final Topics topics;
  private final Admin admin;
  private final KafkaConsumer<byte[], byte[]> reader;
  private final SchemaRegistry registry;
  private final SourceStates sources;
  private final GroupProgress progress;
  private long nextCheck = System.nanoTime();
  private volatile boolean closed;

  /**
   * @param connectors names of all connectors on the path
   */
  Settling(LocalStack stack, PipelineSpec spec, List<String> connectors) {
    this.stack = stack;
    this.spec = spec;
    this.connectors = connectors;
    this.topics = stack.config().topics();
    Map<String, Object> kafka =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            stack.bootstrapServers(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false);
    this.admin = Admin.create(Map.of("bootstrap.servers", (Object) stack.bootstrapServers()));
    this.reader =
        new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.registry =
        SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString()));
    this.sources = new SourceStates(topics.sourceStates(), reader, new AvroDeserializer(registry));
    this.progress = new GroupProgress(admin, reader);
  }

  void settle(Duration timeout) throws InterruptedException {
    long since = System.currentTimeMillis();
    long deadline = System.nanoTime() + timeout.toNanos();
    stage("the KV store source to look again", deadline, () -> storeLookedAt(since));
    stage("the S3 source to empty the queue", deadline, () -> stack.queuedNotifications() == 0);
    List<String> changes = new ArrayList<>();
    spec.recordSets().forEach(set -> changes.add(topics.changes(set.name())));
    changes.add(topics.changes(PipelineSpec.FILES));
    stage(
        "the streams app to derive",
        deadline,
        () -> progress.behind(Pipeline.APPLICATION_ID, changes).isEmpty());
    applied(Connectors.KV_SINK, "kv", deadline);
    applied(Connectors.DYNAMODB_SINK, "dynamodb", deadline);
  }

  private boolean storeLookedAt(long since) {
    sources.refresh();
    return spec.recordSets().stream()
        .allMatch(set -> sources.lookedSince(topics.changes(set.name()), since));
  }

  private void applied(String sink, String target, long deadline) throws InterruptedException {
    List<String> viewTopics = viewTopics(target);
    stage(
        sink + " to apply",
        deadline,
        () -> progress.behind("connect-" + sink, viewTopics).isEmpty());
  }

  private void stage(String what, long deadline, Callable<Boolean> done)
      throws InterruptedException {
    try {
      Poll.until(
          () -> isDone(done) ? Optional.of(true) : Optional.empty(),
          Duration.ofNanos(Math.max(1, deadline - System.nanoTime())),
          () -> new StackException("waited in vain for " + what + "; its log says more"));
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("cannot wait for " + what + ": " + e.getMessage(), e);
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

  private List<String> viewTopics(String target) {
    Pattern pattern = Pattern.compile(topics.viewPattern(target));
    return topicNames().stream().filter(name -> pattern.matcher(name).matches()).sorted().toList();
  }

  private Set<String> topicNames() {
    try {
      return admin.listTopics().names().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while listing topics", e);
    } catch (ExecutionException e) {
      throw new StackException("cannot list topics: " + e.getCause(), e.getCause());
    }
  }

  /** The generation of every view topic, as its key schema carries it. */
  List<ViewGeneration> generations() {
    List<String> all = new ArrayList<>(viewTopics("kv"));
    all.addAll(viewTopics("dynamodb"));
    return all.stream()
        .flatMap(topic -> registry.latest(Subjects.key(topic)).stream())
        .map(registered -> ViewGeneration.ofKeySchema(registered.schema()))
        .toList();
  }

  /** Ends a wait in progress. */
  @Override
  public void close() {
    closed = true;
    synchronized (reader) {
      reader.close();
    }
    admin.close();
    registry.close();
  }
}
