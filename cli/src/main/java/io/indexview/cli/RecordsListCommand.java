package io.indexview.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview records list}. */
@Command(
    name = "list",
    description = "Reads the primary records whose keys begin with a partial key, in key order.")
final class RecordsListCommand implements Callable<Integer> {
  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
  private String recordSet;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PARTIAL-KEY",
      description = "Leading components, as in /World/cities. Default: all of the record set.")
  private String key;

  @Option(names = "--limit", paramLabel = "RECORDS", description = "Records of a page at most.")
  private Integer limit;

  @ArgGroup private Pages pages = new Pages();

  private static final class Pages {
    @Option(
        names = "--after",
        paramLabel = "KEY",
        description = "Goes on after a page: the key that it ended with.")
    private String after;

    @Option(names = "--all", description = "Reads all pages.")
    private boolean all;
  }

  @Override
  public Integer call() {
    ServerClient server = options.client();
    String after = pages.after;
    do {
      JsonNode page =
          server.get(
              ApiPath.of("records", recordSet, "under")
                  .with("key", key)
                  .with("after", after)
                  .with("limit", limit));
      options.printer().print(page, out -> table(page.path("records"), out));
      after = page.hasNonNull("next") ? page.path("next").asText() : null;
    } while (pages.all && after != null);
    if (after != null) {
      options.err().println("More: --after " + TerminalText.clean(after));
      options.err().flush();
    }
    return ExitCodes.OK;
  }

  private static void table(JsonNode records, PrintWriter out) {
    if (records.isEmpty()) {
      return;
    }
    TextTable table = new TextTable("key", "version", "record");
    for (JsonNode record : records) {
      table.row(
          record.path("key").asText(),
          record.path("version").asText(),
          record.hasNonNull("problem")
              ? "(%s)".formatted(record.path("problem").asText())
              : record.path("value").toString());
    }
    table.print(out);
  }
}
