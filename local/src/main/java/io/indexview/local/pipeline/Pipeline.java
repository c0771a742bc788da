package io.indexview.local.pipeline;

import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.StackException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.serde.ControlSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The whole path on a running local stack: the four connectors and the streams app, for some record
 * sets, the bucket's files and a directory of views. A stack without S3 or DynamoDB gets none of
 * its connectors. For one thread.
 */
public final class Pipeline implements AutoCloseable {
  public static final String APPLICATION_ID = "indexview-local";

  /** Names of the connectors of a pipeline that has record sets in the KV store. */
  public static final List<String> CONNECTORS =
      List.of(
          Connectors.KV_SOURCE, Connectors.KV_SINK, Connectors.S3_SOURCE, Connectors.DYNAMODB_SINK);

  private static final int PARTITIONS = 4;

  /** Time for a rollback by hand; whoever tries a change out wants to see its end, though. */
  private static final Duration GENERATION_GRACE = Duration.ofMinutes(2);

  private static final Duration CONNECTOR_START = Duration.ofMinutes(3);

  private final LocalStack stack;
  private final PipelineSpec spec;
  private final Connectors connectors;
  private final AppLauncher launcher;
  private final Settling settling;
  private AutoCloseable app;
  private boolean closed;

  private Pipeline(LocalStack stack, PipelineSpec spec, AppLauncher launcher) {
    this.stack = stack;
    this.spec = spec;
    this.launcher = launcher;
    this.connectors = new Connectors(stack, spec);
    this.settling =
        new Settling(
            stack,
            spec.recordSets().stream().map(RecordSetSpec::name).toList(),
            connectors.names(),
            APPLICATION_ID,
            view -> true);
  }

  /**
   * Creates topics, starts the app, and deploys the connectors through the worker's REST API. Doing
   * so again on the data of an earlier stack goes on where that one stopped.
   *
   * @param progress gets a line per step
   * @throws StackException if something does not start; what was started ends with the stack
   */
  public static Pipeline deploy(
      LocalStack stack, PipelineSpec spec, AppLauncher launcher, Consumer<String> progress) {
    Pipeline pipeline = new Pipeline(stack, spec, launcher);
    stack.attach(pipeline);
    pipeline.deploy(progress);
    return pipeline;
  }

  private void deploy(Consumer<String> progress) {
    List<String> names =
        new ArrayList<>(spec.recordSets().stream().map(RecordSetSpec::name).toList());
    names.add(PipelineSpec.FILES);
    stack.createChangeTopics(names, PARTITIONS);
    spec.recordSets().forEach(this::writeSchema);
    progress.accept("streams app");
    startApp();
    // Before, a record set that the app refuses would have to stay for good.
    spec.save(stack.dataDirectory());
    ConnectClient connect = stack.connect();
    connectors.all().forEach(connect::put);
    for (String name : connectors.names()) {
      connect.awaitRunning(name, CONNECTOR_START);
      progress.accept("connector " + name);
    }
    awaitValues();
  }

  private void awaitValues() {
    try {
      settling.awaitValues(CONNECTOR_START);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while the KV store source started", e);
    }
  }

  private void writeSchema(RecordSetSpec set) {
    Path file = connectors.schemaFile(set.name());
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, set.schema().toString());
    } catch (IOException e) {
      throw new StackException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  /** Starts the streams app, which must not run. */
  public void startApp() {
    try {
      app = launcher.launch(appConfig());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while the streams app started", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("the streams app does not start: " + e.getMessage(), e);
    }
  }

  private Map<String, String> appConfig() {
    Topics topics = stack.config().topics();
    Map<String, String> config = new LinkedHashMap<>();
    config.put("application.id", APPLICATION_ID);
    config.put("bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("topic.prefix", topics.prefix());
    if (spec.hasViews()) {
      config.put("views.dir", spec.viewsDir().toString());
    }
    config.put("generation.grace.ms", Long.toString(GENERATION_GRACE.toMillis()));
    // The broker is in the same process, and a batch of a few rows takes 128 KB to compress.
    config.put("streams.producer.compression.type", "none");
    config.put("state.dir", stack.dataDirectory().resolve("streams").toString());
    // Another app may run on this machine.
    config.put("http.port", "0");
    List<String> sets = new ArrayList<>();
    for (RecordSetSpec set : spec.recordSets()) {
      sets.add(set.name());
      config.put("record.set." + set.name() + ".topic", topics.changes(set.name()));
      config.put(
          "record.set." + set.name() + ".schema.file",
          connectors.schemaFile(set.name()).toString());
    }
    sets.add(PipelineSpec.FILES);
    config.put("record.sets", String.join(",", sets));
    config.put("record.set.files.topic", topics.changes(PipelineSpec.FILES));
    config.put("record.set.files.schema.file", fileSchema().toString());
    // The local stack has one bucket.
    config.put("record.set.files.unique.fields", "objectKey");
    return config;
  }

  private Path fileSchema() {
    writeSchema(new RecordSetSpec(PipelineSpec.FILES, List.of(), ControlSchemas.FILE_RECORD));
    return connectors.schemaFile(PipelineSpec.FILES);
  }

  /** The handle that the launcher gave. */
  public AutoCloseable app() {
    return app;
  }

  /** Follows what is written through this pipeline; closed with it. */
  public Settling settling() {
    return settling;
  }

  /** Settles as {@link Settling#settle} does. */
  public void settle(Duration timeout) throws InterruptedException {
    settling.settle(timeout);
  }

  /** Stops the app; the connectors stay with their worker. The stack does it too when it closes. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    settling.close();
    if (app == null) {
      return;
    }
    try {
      app.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("the streams app does not stop: " + e.getMessage(), e);
    }
  }
}
