package io.indexview.demo;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.local.ConnectClient;
import io.indexview.local.LocalStack;
import io.indexview.local.StackAddresses;
import io.indexview.local.StackConfig;
import io.indexview.local.StackException;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.local.pipeline.Settling;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.ViewDefinitionParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.ExitCode;

/**
 * One run of {@code indexview demo}: on a stack of its own it deploys the pipeline first, on one
 * that somebody else runs it only looks whether everything is there, and defines missing views.
 */
final class DemoRun implements StackRunner.Task {
  /** Connectors that were submitted a moment ago. */
  private static final Duration CONNECTOR_START = Duration.ofMinutes(1);

  private final DemoPlan plan;
  private final PrintWriter out;
  private final PrintWriter err;

  DemoRun(DemoPlan plan, PrintWriter out, PrintWriter err) {
    this.plan = plan;
    this.out = out;
    this.err = err;
  }

  /** The stack that the plan needs; without a directory it is temporary. */
  static StackConfig stack(Path dataDirectory) {
    StackConfig.Builder config = StackConfig.builder();
    if (dataDirectory != null) {
      config.dataDirectory(dataDirectory);
    }
    return config.build();
  }

  @Override
  public int run(LocalStack stack) throws IOException, InterruptedException {
    Path views = plan.writeViews(stack.dataDirectory());
    Pipeline pipeline =
        Pipeline.deploy(
            stack, plan.pipeline(views), AppLauncher.inProcess(), line -> out.println("  " + line));
    return run(stack, pipeline.settling());
  }

  /**
   * Runs on a stack that is deployed.
   *
   * @throws StackException with everything that is missing there
   */
  int run(DeployedStack stack) throws IOException, InterruptedException {
    Map<String, String> views = new TreeMap<>();
    plan.views()
        .forEach(
            (file, text) -> views.put(new ViewDefinitionParser().parse(file, text).name(), text));
    List<String> recordSets = plan.dataSets().stream().map(DataSet::name).toList();
    Map<String, Object> kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
    try (SchemaRegistry registry =
            SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString()));
        ViewAdmin admin = ViewAdmin.connect(kafka, stack.topics(), registry, Clock.systemUTC())) {
      String application = requireDeployed(stack.connect(), recordSets, admin.recordSets());
      define(views, admin);
      try (Settling settling =
          new Settling(stack, recordSets, Pipeline.CONNECTORS, application, views::containsKey)) {
        return run(stack, settling);
      }
    }
  }

  /** The application that has all record sets. */
  private static String requireDeployed(
      ConnectClient connect, List<String> recordSets, List<RecordSetInfo> known) {
    List<String> missing = new ArrayList<>();
    for (String connector : Pipeline.CONNECTORS) {
      if (connect.status(connector).isEmpty()) {
        missing.add("the connector " + connector + " at " + connect.url());
      } else {
        connect.awaitRunning(connector, CONNECTOR_START);
      }
    }
    Set<String> names = known.stream().map(RecordSetInfo::name).collect(Collectors.toSet());
    List<String> wanted = new ArrayList<>(recordSets);
    wanted.add(PipelineSpec.FILES);
    for (String recordSet : wanted) {
      if (!names.contains(recordSet)) {
        missing.add(
            "the record set " + recordSet + " in record.sets of the streams app, started once");
      }
    }
    if (!missing.isEmpty()) {
      throw new StackException("The stack has not: " + String.join("; ", missing));
    }
    return known.stream()
        .filter(recordSet -> wanted.contains(recordSet.name()))
        .findFirst()
        .orElseThrow()
        .application();
  }

  private void define(Map<String, String> views, ViewAdmin admin) {
    Set<String> standing = admin.list().stream().map(ViewStatus::view).collect(Collectors.toSet());
    views.forEach(
        (view, text) -> {
          if (!standing.contains(view)) {
            admin.apply(view, text, OptionalLong.of(SpecLog.ABSENT));
            out.println("  view " + view);
          }
        });
  }

  private int run(StackAddresses stack, Settling settling)
      throws IOException, InterruptedException {
    try (Clients clients = Clients.of(stack)) {
      return new DemoJob(plan, settling, clients, out).run() ? ExitCode.OK : ExitCode.SOFTWARE;
    } catch (InputException e) {
      err.println(e.getMessage());
      return ExitCode.USAGE;
    }
  }
}
