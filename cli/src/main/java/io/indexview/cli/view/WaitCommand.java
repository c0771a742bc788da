package io.indexview.cli.view;

import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview views wait}. */
@Command(
    name = "wait",
    description = {
      "Waits until views serve what is wanted of them, and shows their builds.",
      "What readers are told counts, so that a query that follows is answered. Of a target that the"
          + " server cannot look at, it says so and goes by the state alone."
    },
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
final class WaitCommand implements Callable<Integer> {
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
