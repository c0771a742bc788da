package io.indexview.cli.source;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview sources retire}. */
@Command(
    name = "retire",
    description = {
      "Forgets a source that is gone for ever, so that its record sets do not wait for it.",
      "Delete its connector first: one that still runs comes back with its next heartbeat."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class RetireCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Parameters(paramLabel = "SOURCE", description = "Name of the source.")
  private String source;

  @Override
  public Integer call() {
    options.client().delete(ApiPath.of("sources", source), Map.of());
    JsonNode retired = JsonNodeFactory.instance.objectNode().put("name", source);
    options.printer().print(retired, out -> out.println(source + " is retired"));
    return ExitCodes.OK;
  }
}
