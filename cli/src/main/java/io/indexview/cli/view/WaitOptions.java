package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.option.DurationConverter;
import io.indexview.cli.option.ServerOptions;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.Units;
import io.indexview.cli.view.Readiness.Awaited;
import io.indexview.cli.view.Readiness.BuildProgress;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Waiting for what a command has asked for. */
final class WaitOptions {
  @Option(
      names = "--wait",
      arity = "0..1",
      fallbackValue = "10m",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Waits until the views serve what is wanted: 500ms, 30s, 10m; ${FALLBACK-VALUE} if none"
              + " is given.")
  private Duration timeout;

  /** Waits, if that was asked for; the exit code. */
  int await(List<Awaited> changes, ServerOptions options, ServerClient server)
      throws InterruptedException {
    return timeout == null ? ExitCodes.OK : await(changes, timeout, options, server);
  }

  /** Waits for all of them together as long as it says. */
  static int await(
      List<Awaited> wanted, Duration timeout, ServerOptions options, ServerClient server)
      throws InterruptedException {
    boolean terminal = System.console() != null;
    long deadline = System.nanoTime() + timeout.toNanos();
    for (Awaited awaited : wanted) {
      BuildProgress progress =
          terminal ? new ProgressBar(options.err()) : new ProgressLines(options.err());
      Readiness readiness = new Readiness(server, progress);
      Optional<JsonNode> served = readiness.await(awaited, left(deadline));
      if (served.isEmpty()) {
        return ExitCodes.NOT_READY;
      }
      tellOfRollback(readiness.withStandbyTime(served.get(), left(deadline)), options.err());
    }
    return ExitCodes.OK;
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /** Says how long the generation stands that served before. */
  private static void tellOfRollback(JsonNode view, PrintWriter out) {
    for (JsonNode generation : view.path("generations")) {
      if (!generation.path("role").asText().equals("standby")) {
        continue;
      }
      JsonNode until = generation.path("standbyUntil");
      String time =
          until.isTextual()
              ? " for %s, until %s".formatted(Units.left(until, Instant.now()), until.asText())
              : "";
      out.println(
          "generation %d stands by%s: `indexview views rollback %s` brings it back"
              .formatted(generation.path("number").asLong(), time, view.path("name").asText()));
      out.flush();
    }
  }

  /** One line of a terminal, painted over and over. */
  private static final class ProgressBar implements BuildProgress {
    private static final int WIDTH = 30;
    private static final int LINE = 78;

    private final PrintWriter out;

    ProgressBar(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(JsonNode view, boolean last) {
      String line = TerminalText.clean(line(view));
      String shown = line.length() > LINE ? line.substring(0, LINE - 1) + "…" : line;
      out.print("\r" + shown + " ".repeat(LINE - shown.length()));
      if (last) {
        out.println();
        if (line.length() > LINE) {
          out.println(TerminalText.clean(ViewTables.remark(view)));
        }
      }
      out.flush();
    }

    private static String line(JsonNode view) {
      String head = "%s  %s".formatted(view.path("name").asText(), view.path("state").asText());
      long done = view.path("progress").path("done").asLong();
      long estimated = view.path("progress").path("estimated").asLong();
      if (estimated <= 0 || view.path("ready").asBoolean()) {
        String remark = ViewTables.remark(view);
        return remark.isEmpty() ? head : head + "  " + remark;
      }
      int filled = (int) Math.min(WIDTH, done * WIDTH / estimated);
      return String.format(
          Locale.ROOT,
          "%s  [%s%s] %s  %,d of about %,d",
          head,
          "#".repeat(filled),
          ".".repeat(WIDTH - filled),
          Units.percent(done, estimated),
          done,
          estimated);
    }
  }

  /** A line whenever something has changed that is worth one; for logs. */
  private static final class ProgressLines implements BuildProgress {
    private static final int STEP_PERCENT = 10;

    private final PrintWriter out;
    private String said = "";

    ProgressLines(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(JsonNode view, boolean last) {
      long done = view.path("progress").path("done").asLong();
      long estimated = view.path("progress").path("estimated").asLong();
      long step = estimated <= 0 ? -1 : done * 100 / estimated / STEP_PERCENT;
      String state = view.path("state").asText();
      String reason = TerminalText.clean(ViewTables.remark(view));
      String what = state + step + reason;
      if (!what.equals(said)) {
        said = what;
        out.println(
            "%s  %s%s%s"
                .formatted(
                    view.path("name").asText(),
                    state,
                    estimated <= 0 ? "" : "  " + Units.percent(done, estimated),
                    reason.isEmpty() ? "" : "  " + reason));
        out.flush();
      }
    }
  }
}
