package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview views show}. */
@Command(
    name = "show",
    description = "Shows a view: state, generations, progress by partition, definition.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class ShowCommand implements Callable<Integer> {
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
