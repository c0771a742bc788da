package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.NotFoundException;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.ServerClient.Body;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code indexview views verify}. */
@Command(
    name = "verify",
    description = {
      "Compares the rows of a view's target with what the streams app derived, while both change.",
      "A server runs it, whether this command is there or not. Rows that are on their way are never"
          + " called wrong; those that changed each time they were read are counted as unjudged.",
      "With --repair the streams app writes wrong rows anew, and deletes those that its records do"
          + " not have; the view is DEGRADED until they are right. What is foreign stays.",
      "Exit code: 0 all judged rows are right or repaired, 1 some are wrong, or it was not done to its end, 4 no"
          + " such view or verification, 5 no server. What is foreign or unjudged does not count."
    })
final class VerifyCommand implements Callable<Integer> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final int SHOWN_CASES = 20;

  @Mixin private ServerOptions options;

  @Parameters(paramLabel = "VIEW", description = "Name of the view.")
  private String view;

  @ArgGroup private What what = new What();

  /** One of them. */
  private static final class What {
    @ArgGroup(exclusive = false)
    private How how = new How();

    @Option(names = "--last", description = "Only shows the last one.")
    private boolean last;

    @Option(names = "--cancel", description = "Ends the one that is not over.")
    private boolean cancel;
  }

  /** Of a new one. */
  private static final class How {
    @Option(
        names = "--rows-per-second",
        paramLabel = "N",
        description = "How many rows of the target to read at most. Default: no limit")
    private Integer rowsPerSecond;

    @Option(names = "--repair", description = "Has wrong rows written anew.")
    private boolean repair;
  }

  @Option(names = "--no-wait", description = "Does not wait for its end.")
  private boolean noWait;

  @Override
  public Integer call() throws InterruptedException {
    ServerClient server = options.client();
    if (what.last || what.cancel) {
      return show(ofLast(server));
    }
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (what.how.rowsPerSecond != null) {
      body.put("rowsPerSecond", what.how.rowsPerSecond);
    }
    if (what.how.repair) {
      body.put("repair", true);
    }
    JsonNode asked =
        server.post(ApiPath.of("views", view, "verifications"), Body.json(body), Map.of());
    return show(noWait ? asked : await(server, asked));
  }

  /** With its cases; cancelled if that is wanted. */
  private JsonNode ofLast(ServerClient server) {
    JsonNode all = server.get(ApiPath.of("views", view, "verifications")).path("verifications");
    JsonNode last =
        Optional.ofNullable(all.get(0))
            .orElseThrow(
                () -> new NotFoundException("view %s was not verified yet".formatted(view)));
    ApiPath path = ApiPath.of("views", view, "verifications", last.path("id").asText());
    return what.cancel ? server.delete(path, Map.of()) : server.get(path);
  }

  private JsonNode await(ServerClient server, JsonNode asked) throws InterruptedException {
    ApiPath path = ApiPath.of("views", view, "verifications", asked.path("id").asText());
    CountDownLatch never = new CountDownLatch(1);
    JsonNode known = asked;
    String shown = "";
    while (!isOver(known)) {
      never.await(POLL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
      known = server.get(path);
      String line =
          "%s: %s, %,d rows read"
              .formatted(
                  view,
                  known.path("step").asText(known.path("status").asText()),
                  known.path("counts").path("scanned").asLong());
      if (!line.equals(shown) && !isOver(known)) {
        options.err().println(TerminalText.clean(line));
        options.err().flush();
        shown = line;
      }
    }
    return known;
  }

  private static boolean isOver(JsonNode verification) {
    String status = verification.path("status").asText();
    return !status.equals("requested") && !status.equals("running");
  }

  private int show(JsonNode verification) {
    options.printer().print(verification, out -> print(verification, out));
    if (noWait || what.cancel) {
      return ExitCodes.OK;
    }
    boolean done = verification.path("status").asText().equals("done");
    JsonNode counts = verification.path("counts");
    long left = counts.path("wrong").asLong() - counts.path("repaired").asLong();
    return done && left == 0 ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private static void print(JsonNode verification, PrintWriter out) {
    out.println(
        TerminalText.clean(
            "Verification %s of view %s: %s%s"
                .formatted(
                    verification.path("id").asText(),
                    verification.path("view").asText(),
                    verification.path("status").asText(),
                    verification.hasNonNull("step")
                        ? ", " + verification.path("step").asText()
                        : "")));
    JsonNode counts = verification.path("counts");
    new TextTable(
            "read", "right", "missing", "extra", "different", "repaired", "foreign", "unjudged")
        .row(
            counts.path("scanned").asLong(),
            counts.path("right").asLong(),
            counts.path("missing").asLong(),
            counts.path("extra").asLong(),
            counts.path("different").asLong(),
            counts.path("repaired").asLong(),
            counts.path("foreign").asLong(),
            counts.path("unjudged").asLong())
        .print(out);
    printCases(verification.path("cases"), out);
  }

  private static void printCases(JsonNode cases, PrintWriter out) {
    if (cases.isEmpty()) {
      return;
    }
    TextTable table = new TextTable("", "key", "primary key", "what it looks like");
    for (int i = 0; i < Math.min(SHOWN_CASES, cases.size()); i++) {
      JsonNode one = cases.get(i);
      table.row(
          one.path("repaired").asBoolean()
              ? one.path("kind").asText() + ", repaired"
              : one.path("kind").asText(),
          one.path("key").asText(),
          one.path("primaryKey").asText(),
          one.path("cause").asText());
    }
    out.println();
    table.print(out);
    if (cases.size() > SHOWN_CASES) {
      out.println("  %d more with --output json".formatted(cases.size() - SHOWN_CASES));
    }
  }
}
