package io.indexview.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.indexview.cli.RecordsCommand.JsonArgument;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code indexview records execute}. */
@Command(
    name = "execute",
    description = {
      "Writes and removes primary records of one major path, all or none.",
      "Prints their versions, and a token of each for `query --at-least`."
    })
final class RecordsExecuteCommand implements Callable<Integer> {
  private static final String REMEDY =
      "write '[{\"op\": \"put\", \"key\": \"/…\", \"value\": {…}}, {\"op\": \"delete\", \"key\":"
          + " \"/…\"}]'";

  @Mixin private ServerOptions options;

  @Parameters(index = "0", paramLabel = "RECORD-SET", description = "Name of the record set.")
  private String recordSet;

  @Parameters(
      index = "1",
      paramLabel = "JSON",
      description = {
        "The operations as a JSON array of objects with op (put, delete), key, value, and if wanted"
            + " ifVersion or ifAbsent; - is standard input."
      })
  private String json;

  @Override
  public Integer call() {
    JsonNode operations = JsonArgument.read(json, "what is to be done", REMEDY);
    if (!operations.isArray()) {
      throw new CommandException.Usage("what is to be done is no JSON array; " + REMEDY);
    }
    JsonNode body = JsonNodeFactory.instance.objectNode().set("operations", operations);
    JsonNode done =
        options
            .client()
            .post(ApiPath.of("records", recordSet, "execute"), Body.json(body), Map.of());
    for (JsonNode result : done.path("results")) {
      if (result.hasNonNull("warning")) {
        options.err().println(TerminalText.clean(result.path("warning").asText()));
      }
    }
    options.err().flush();
    options.printer().print(done, out -> done.path("results").forEach(result -> tell(result, out)));
    return ExitCodes.OK;
  }

  private static void tell(JsonNode result, PrintWriter out) {
    out.println("key      " + result.path("key").asText());
    out.println(
        "version  "
            + (result.path("changed").asBoolean()
                ? result.path("version").asText()
                : "none, there was no record"));
    if (result.hasNonNull("token")) {
      out.println("token    " + result.path("token").asText());
    }
  }
}
