package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;

/** A line whenever something has changed that is worth one; for logs. */
final class ProgressLines implements BuildProgress {
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
