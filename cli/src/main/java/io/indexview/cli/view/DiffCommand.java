package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code indexview views diff}. */
@Command(
    name = "diff",
    description = "Says what applying definitions would change, and what that costs.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class DiffCommand implements Callable<Integer> {
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
