package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview views rollback}. */
@Command(
    name = "rollback",
    description = "Lets the generation before serve again, as long as it stands.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_READY_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class RollbackCommand implements Callable<Integer> {
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
