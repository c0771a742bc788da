package io.indexview.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code indexview sources}. */
@Command(
    name = "sources",
    description =
        "Shows the sources that say whether record sets are complete, and retires those that are gone.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SourcesCommand.ListCommand.class,
      SourcesCommand.RetireCommand.class,
      SourcesCommand.PublishedAgainCommand.class
    })
public final class SourcesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  /** {@code indexview sources list}. */
  @Command(
      name = "list",
      description =
          "Lists what every source says of every topic it feeds, and what keeps its scans from"
              + " being complete.")
  static final class ListCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Override
    public Integer call() {
      JsonNode answer = options.client().get(ApiPath.of("sources"));
      options.printer().print(answer, out -> table(answer.path("sources"), out));
      return ExitCodes.OK;
    }

    private static void table(JsonNode sources, PrintWriter out) {
      if (sources.isEmpty()) {
        out.println("No source has reported yet; a source connector does when it starts.");
        return;
      }
      TextTable table =
          new TextTable(
              "source",
              "topic",
              "partitions",
              "scanned",
              "last heard",
              "published until",
              "last scan",
              "published again");
      for (JsonNode source : sources) {
        table.row(
            Units.text(source.path("name")),
            Units.text(source.path("topic")),
            Units.number(source.path("sourcePartitions")),
            Units.number(source.path("scanned")),
            Units.text(source.path("heardAt")),
            Units.text(source.path("publishedUntil")),
            Units.text(source.path("scannedAt")),
            Units.text(source.path("publishedAgainAt")));
      }
      table.print(out);
      for (JsonNode source : sources) {
        note(source, "problem", "", out);
        note(source, "changeFeedProblem", "changes are found by scans: ", out);
      }
    }

    private static void note(JsonNode source, String field, String meaning, PrintWriter out) {
      if (source.hasNonNull(field)) {
        out.println(
            TerminalText.clean(
                "  %s, %s: %s%s"
                    .formatted(
                        source.path("name").asText(),
                        source.path("topic").asText(),
                        meaning,
                        source.path(field).asText())));
      }
    }
  }

  /** {@code indexview sources retire}. */
  @Command(
      name = "retire",
      description = {
        "Forgets a source that is gone for ever, so that its record sets do not wait for it.",
        "Delete its connector first: one that still runs comes back with its next heartbeat."
      })
  static final class RetireCommand implements Callable<Integer> {
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

  /** {@code indexview sources published-again}. */
  @Command(
      name = "published-again",
      description = {
        "Reports that every record of a record set was published again, where no source speaks for"
            + " its topic (complete=topic or debezium: flat topics, Debezium).",
        "Records that were not published since then are deleted; events that were lost before no"
            + " longer count. Report it when everything is published."
      })
  static final class PublishedAgainCommand implements Callable<Integer> {
    @Mixin private ServerOptions options;

    @Parameters(paramLabel = "RECORD_SET", description = "Name of the record set.")
    private String recordSet;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        required = true,
        converter = TimeConverter.class,
        description =
            "When it began, after the loss was reported: 2026-01-02T03:04:05Z. No record may be older"
                + " that was published again.")
    private Instant since;

    @Override
    public Integer call() {
      Body body = Body.json(JsonNodeFactory.instance.objectNode().put("since", since.toString()));
      options
          .client()
          .post(ApiPath.of("record-sets", recordSet, "published-again"), body, Map.of());
      JsonNode request = JsonNodeFactory.instance.objectNode().put("name", recordSet);
      options
          .printer()
          .print(
              request,
              out ->
                  out.println(
                      "what was not published since %s is deleted from %s"
                          .formatted(since, recordSet)));
      return ExitCodes.OK;
    }
  }

  /** Times as in 2026-01-02T03:04:05Z. */
  static final class TimeConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      try {
        return Instant.parse(text);
      } catch (DateTimeParseException e) {
        throw new TypeConversionException(
            "'%s' is no time; write 2026-01-02T03:04:05Z".formatted(text));
      }
    }
  }
}
