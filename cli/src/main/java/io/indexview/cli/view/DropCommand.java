package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview views drop}. */
@Command(
    name = "drop",
    description = "Drops a view. Its rows, its metadata and its topics are removed by and by.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class DropCommand implements Callable<Integer> {
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
