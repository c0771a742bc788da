package io.indexview.cli.record;

import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview records delete}. */
@Command(
    name = "delete",
    description = {
      "Removes a primary record.",
      "Prints the version that it had, and a token for `query --at-least`."
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
final class DeleteCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
  private String recordSet;

  @Parameters(index = "1", paramLabel = "KEY", description = "Key path, as in /World/cities/17.")
  private String key;

  @Option(
      names = "--if-version",
      paramLabel = "VERSION",
      description = "Only if the record has this version.")
  private String version;

  @Override
  public Integer call() {
    WrittenRecord.print(
        options
            .client()
            .delete(
                ApiPath.of("records", recordSet).with("key", key).with("ifVersion", version),
                Map.of()),
        options);
    return ExitCodes.OK;
  }
}
