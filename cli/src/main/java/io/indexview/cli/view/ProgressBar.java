package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.util.Locale;

/** One line of a terminal, painted over and over. */
final class ProgressBar implements BuildProgress {
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
