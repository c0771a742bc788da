package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code indexview views list}. */
@Command(
    name = "list",
    description = "Lists all views with state, rows, size and lag.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class ListCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Override
  public Integer call() {
    JsonNode answer = options.client().get(ApiPath.of("views"));
    options.printer().print(answer, out -> new ViewTables(out).list(answer.path("views")));
    return ExitCodes.OK;
  }
}
