package io.indexview.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import io.indexview.cli.output.Units;
import io.indexview.cli.view.ViewTables;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code indexview status}. */
@Command(name = "status", description = "Shows record sets and views.")
final class StatusCommand implements Callable<Integer> {
  private static final String CLEAR_SCREEN = "\033[H\033[2J";

  private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

  @Mixin private ServerOptions options;

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "2s",
      paramLabel = "INTERVAL",
      converter = DurationConverter.class,
      description = "Again and again, until Ctrl-C; every ${FALLBACK-VALUE} if nothing is given.")
  private Duration interval;

  private final CountDownLatch never = new CountDownLatch(1);

  @Override
  public Integer call() throws InterruptedException {
    if (interval != null && interval.compareTo(MIN_INTERVAL) < 0) {
      throw new CommandException.Usage(
          "--watch %d ms: use 100ms or more".formatted(interval.toMillis()));
    }
    ServerClient server = options.client();
    boolean terminal = System.console() != null;
    boolean ready = show(server, interval != null && terminal);
    while (interval != null && !never.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
      ready = showOrTell(server, terminal);
    }
    return ready ? ExitCodes.OK : ExitCodes.NOT_READY;
  }

  /** The address is right, so what fails is an outage. */
  private boolean showOrTell(ServerClient server, boolean clear) {
    try {
      return show(server, clear);
    } catch (ApiException | CommandException.Unavailable e) {
      if (!ServerClient.mayPass(e)) {
        throw e;
      }
      options.err().println(TerminalText.clean(e.getMessage()));
      options.err().flush();
      return false;
    }
  }

  private boolean show(ServerClient server, boolean clear) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.setAll((ObjectNode) server.get(ApiPath.of("record-sets")));
    status.setAll((ObjectNode) server.get(ApiPath.of("views")));
    if (clear) {
      options.out().print(CLEAR_SCREEN);
    }
    options.printer().print(status, out -> tables(status, out));
    return status.path("views").valueStream().allMatch(view -> view.path("ready").asBoolean());
  }

  private static void tables(JsonNode status, PrintWriter out) {
    TextTable table = new TextTable("record set", "topic", "partitions", "written here");
    for (JsonNode set : status.path("recordSets")) {
      table.row(
          Units.text(set.path("name")),
          Units.text(set.path("topic")),
          Units.number(set.path("partitions")),
          set.path("writable").asBoolean() ? "yes" : "no");
    }
    table.print(out);
    out.println();
    new ViewTables(out).list(status.path("views"));
  }
}
