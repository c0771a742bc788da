package io.indexview.cli.source;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code indexview sources list}. */
@Command(
    name = "list",
    description =
        "Lists what every source says of every topic it feeds, and what keeps its looks from being"
            + " complete.",
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
    JsonNode answer = options.client().get(ApiPath.of("sources"));
    options.printer().print(answer, out -> table(answer.path("sources"), out));
    return ExitCodes.OK;
  }

  private static void table(JsonNode sources, PrintWriter out) {
    if (sources.isEmpty()) {
      out.println("No source has spoken yet.");
      return;
    }
    TextTable table =
        new TextTable(
            "source",
            "topic",
            "sourcePartitions",
            "looked at",
            "last heard",
            "last look",
            "published again");
    for (JsonNode source : sources) {
      table.row(
          Units.text(source.path("name")),
          Units.text(source.path("topic")),
          Units.number(source.path("sourcePartitions")),
          Units.number(source.path("scanned")),
          Units.text(source.path("heardAt")),
          Units.text(source.path("scannedAt")),
          Units.text(source.path("publishedAgainAt")));
    }
    table.print(out);
    for (JsonNode source : sources) {
      if (source.hasNonNull("problem")) {
        out.println(
            TerminalText.clean(
                "  %s, %s: %s"
                    .formatted(
                        source.path("name").asText(),
                        source.path("topic").asText(),
                        source.path("problem").asText())));
      }
    }
  }
}
