package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.view.Readiness.Awaited;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code indexview views}. */
@Command(
    name = "views",
    description = "Creates, changes, watches and drops views.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ViewsCommand.ListCommand.class,
      ViewsCommand.ShowCommand.class,
      ApplyCommand.class,
      ViewsCommand.DiffCommand.class,
      ViewsCommand.DropCommand.class,
      RebuildCommand.class,
      ViewsCommand.RollbackCommand.class,
      VerifyCommand.class,
      ViewsCommand.WaitCommand.class
    })
public final class ViewsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  /** {@code indexview views list}. */
  @Command(name = "list", description = "Lists all views with state, rows, size and lag.")
  static final class ListCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Override
    public Integer call() {
      JsonNode answer = options.client().get(ApiPath.of("views"));
      options.printer().print(answer, out -> new ViewTables(out).list(answer.path("views")));
      return ExitCodes.OK;
    }
  }

  /** {@code indexview views show}. */
  @Command(
      name = "show",
      description = "Shows a view: state, generations, progress by partition, definition.")
  static final class ShowCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Parameters(paramLabel = "VIEW", description = "Name of the view.")
    private String view;

    @Override
    public Integer call() {
      JsonNode answer = options.client().get(ApiPath.of("views", view));
      options.printer().print(answer, out -> new ViewTables(out).show(answer));
      return ExitCodes.OK;
    }
  }

  /** {@code indexview views drop}. */
  @Command(
      name = "drop",
      description =
          "Drops a view. Its rows, its metadata and its topics are removed in the background.")
  static final class DropCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;
    @Mixin private VersionCondition version;

    @Parameters(paramLabel = "VIEW", description = "Name of the view.")
    private String view;

    @Override
    public Integer call() {
      ServerClient server = options.client();
      server.delete(ApiPath.of("views", view), version.headers());
      JsonNode state =
          JsonNodeFactory.instance.objectNode().put("name", view).put("state", "DELETING");
      options.printer().print(state, out -> out.println(view + " is being deleted"));
      return ExitCodes.OK;
    }
  }

  /** {@code indexview views rollback}. */
  @Command(
      name = "rollback",
      description = "Serves the previous generation again, as long as it is kept.")
  static final class RollbackCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Parameters(paramLabel = "VIEW", description = "Name of the view.")
    private String view;

    @Mixin private VersionCondition version;
    @Mixin private WaitOptions wait;

    @Override
    public Integer call() throws InterruptedException {
      ServerClient server = options.client();
      JsonNode spec =
          server.post(ApiPath.of("views", view, "rollback"), Body.NONE, version.headers());
      options
          .printer()
          .print(
              spec,
              out ->
                  out.println(
                      "%s goes back to build %d of its definition of version %d"
                          .formatted(
                              view, spec.path("build").asLong(), spec.path("version").asLong())));
      return wait.await(List.of(Awaited.after(spec, view)), options, server);
    }
  }

  /** {@code indexview views wait}. */
  @Command(
      name = "wait",
      description = {
        "Waits until views serve what is wanted of them, and shows their builds.",
        "What readers see counts, so that a query that follows is answered. Of a target that"
            + " the server cannot look at, it says so and goes by the state alone."
      })
  static final class WaitCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Parameters(arity = "1..*", paramLabel = "VIEW", description = "Names of views.")
    private List<String> views;

    @Option(
        names = "--timeout",
        paramLabel = "DURATION",
        defaultValue = "10m",
        converter = DurationConverter.class,
        description = "How long, for all together: 500ms, 30s, 10m. Default: ${DEFAULT-VALUE}")
    private Duration timeout;

    @Override
    public Integer call() throws InterruptedException {
      return WaitOptions.await(
          views.stream().map(Awaited::any).toList(), timeout, options, options.client());
    }
  }

  /** {@code indexview views diff}. */
  @Command(
      name = "diff",
      description = "Says what applying definitions would change, and what that costs.")
  static final class DiffCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Option(
        names = {"-f", "--file"},
        required = true,
        arity = "1..*",
        paramLabel = "FILE",
        description = "View definitions, one file each, JSON or YAML; - is standard input.")
    private List<Path> files;

    @Override
    public Integer call() {
      DefinitionFiles definitions = new DefinitionFiles(options.client(), options.err());
      int exitCode = definitions.check(files, System.in, Map.of());
      for (JsonNode change : definitions.planned().values()) {
        options.printer().print(change, out -> new ViewTables(out).change(change));
      }
      return exitCode;
    }
  }

  /** Options that make a change depend on the version of the definition. */
  static final class VersionCondition {
    @Option(
        names = "--if-version",
        paramLabel = "VERSION",
        description = "Only if the definition is at this version.")
    private Long version;

    /** Conditions as headers of a request. */
    Map<String, String> headers() {
      return version == null ? Map.of() : Map.of("If-Match", "\"" + version + "\"");
    }
  }
}
