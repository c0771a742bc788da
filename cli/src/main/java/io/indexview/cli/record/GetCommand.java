package io.indexview.cli.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.Printer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview records get}. */
@Command(
    name = "get",
    description = "Reads a primary record, with absolute consistency.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {
      ExitCodes.OK_HELP,
      ExitCodes.FAILED_HELP,
      ExitCodes.USAGE_HELP,
      ExitCodes.NOT_FOUND_HELP,
      ExitCodes.UNAVAILABLE_HELP
    })
final class GetCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
  private String recordSet;

  @Parameters(index = "1", paramLabel = "KEY", description = "Key path, as in /World/cities/17.")
  private String key;

  @Override
  public Integer call() {
    JsonNode record = options.client().get(ApiPath.of("records", recordSet).with("key", key));
    options
        .printer()
        .print(
            record,
            out -> {
              out.println("key      " + record.path("key").asText());
              out.println("version  " + record.path("version").asText());
              Printer.yaml(record.path("value")).lines().forEach(line -> out.println("  " + line));
            });
    return ExitCodes.OK;
  }
}
