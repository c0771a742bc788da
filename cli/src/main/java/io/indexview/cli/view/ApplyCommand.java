package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.view.Readiness.Awaited;
import io.indexview.cli.view.ViewsCommand.VersionCondition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code indexview views apply}. */
@Command(
    name = "apply",
    description = {
      "Creates views, or changes their definitions.",
      "All files are checked before any is applied. The old generation of a view serves until the"
          + " new one is READY."
    })
final class ApplyCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Option(
      names = {"-f", "--file"},
      required = true,
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "View definitions, one file each, JSON or YAML, or directories of such files; - is"
              + " standard input.")
  private List<Path> files;

  @Option(names = "--dry-run", description = "Only says what would change.")
  private boolean dryRun;

  @ArgGroup private Condition condition = new Condition();

  private static final class Condition {
    @Option(names = "--if-absent", description = "Only if there is no such view.")
    private boolean absent;

    @ArgGroup(exclusive = false)
    private VersionCondition version = new VersionCondition();
  }

  @Mixin private WaitOptions wait;

  @Override
  public Integer call() throws InterruptedException {
    ServerClient server = options.client();
    DefinitionFiles definitions = new DefinitionFiles(server, options.err());
    Map<String, String> conditions = conditions();
    int exitCode = definitions.check(files, System.in, conditions);
    if (exitCode != ExitCodes.OK) {
      return exitCode;
    }
    List<Awaited> changes = new ArrayList<>();
    for (Map.Entry<DefinitionFile, JsonNode> plan : definitions.planned().entrySet()) {
      DefinitionFile file = plan.getKey();
      JsonNode change = dryRun ? plan.getValue() : server.put(file.path(), file.body(), conditions);
      options.printer().print(change, out -> new ViewTables(out).change(change));
      changes.add(Awaited.after(change, file.view()));
    }
    return dryRun ? ExitCodes.OK : wait.await(changes, options, server);
  }

  private Map<String, String> conditions() {
    return condition.absent ? Map.of("If-None-Match", "*") : condition.version.headers();
  }
}
