package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.Printer;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.TextTable;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.time.Instant;

/** Views for people. */
public final class ViewTables {
  private final PrintWriter out;

  public ViewTables(PrintWriter out) {
    this.out = out;
  }

  /** A line per view, then why some are not ready. */
  public void list(JsonNode views) {
    if (views.isEmpty()) {
      out.println("There are no views; `indexview views apply -f FILE` creates one.");
      return;
    }
    TextTable table =
        new TextTable(
            "view",
            "state",
            "generation",
            "rows",
            "key bytes",
            "lag",
            "behind",
            "built",
            "of",
            "target");
    for (JsonNode view : views) {
      table.row(
          Units.text(view.path("name")),
          state(view),
          Units.number(view.path("servingGeneration")),
          Units.number(view.path("rows")),
          Units.number(view.path("keyBytes")),
          Units.duration(view.path("lagMs")),
          Units.age(view.path("visibleBefore"), Instant.now()),
          built(view),
          Units.text(view.path("recordSet")),
          Units.text(view.path("target")));
    }
    table.print(out);
    views.forEach(this::reason);
  }

  private void reason(JsonNode view) {
    if (view.hasNonNull("reason")) {
      out.println(
          "  %s: %s"
              .formatted(
                  view.path("name").asText(), TerminalText.clean(view.path("reason").asText())));
    }
  }

  /** Why a view is not ready, or is not shown to readers; empty: nothing to say. */
  static String remark(JsonNode view) {
    String reason = view.path("reason").asText("");
    return reason.isEmpty() ? view.path("notShown").asText("") : reason;
  }

  /**
   * State of a view. If it is READY, but not with what is wanted, or not for its readers, that is
   * said.
   */
  private static String state(JsonNode view) {
    String state = Units.text(view.path("state"));
    if (!state.equals("READY")) {
      return state;
    }
    if (!view.path("ready").asBoolean()) {
      return "READY, changing";
    }
    return view.path("shown").asBoolean(true) ? state : "READY, not shown yet";
  }

  private static String built(JsonNode view) {
    JsonNode progress = view.path("progress");
    return progress.isMissingNode()
        ? ""
        : Units.percent(progress.path("done").asLong(), progress.path("estimated").asLong());
  }

  /** Everything of one view. */
  void show(JsonNode view) {
    field("view", Units.text(view.path("name")));
    field("state", state(view));
    field("reason", TerminalText.clean(view.path("reason").asText("")));
    field("readers", TerminalText.clean(view.path("notShown").asText("")));
    field("version", Units.text(view.path("version")));
    field("uid", Units.text(view.path("uid")));
    field("changed", Units.text(view.path("changedAt")));
    field("lag", Units.duration(view.path("lagMs")));
    field("visible", visible(view));
    out.println();
    generations(view.path("generations"));
    partitions(view.path("progress").path("partitions"));
    if (view.has("definition")) {
      out.println();
      out.println("definition");
      Printer.yaml(view.path("definition")).lines().forEach(line -> out.println("  " + line));
    }
  }

  private static String visible(JsonNode view) {
    String heldBackBy = TerminalText.clean(view.path("heldBackBy").asText(""));
    return view.hasNonNull("visibleBefore")
        ? "all changes before %s, %s ago%s"
            .formatted(
                view.path("visibleBefore").asText(),
                Units.age(view.path("visibleBefore"), Instant.now()),
                heldBackBy.isEmpty() ? "" : "; held back by " + heldBackBy)
        : heldBackBy.isEmpty() ? "" : "not known; held back by " + heldBackBy;
  }

  private void field(String name, String value) {
    if (!value.isEmpty()) {
      out.println("  %-10s %s".formatted(name, value));
    }
  }

  private void generations(JsonNode generations) {
    TextTable table = new TextTable("generation", "role", "build", "rows", "key bytes", "rollback");
    for (JsonNode generation : generations) {
      table.row(
          Units.number(generation.path("number")),
          Units.text(generation.path("role")),
          Units.number(generation.path("build")),
          Units.number(generation.path("rows")),
          Units.number(generation.path("keyBytes")),
          rollback(generation));
    }
    if (!generations.isEmpty()) {
      table.print(out);
    }
  }

  private static String rollback(JsonNode generation) {
    JsonNode until = generation.path("standbyUntil");
    return until.isTextual() ? "for " + Units.left(until, Instant.now()) : "";
  }

  private void partitions(JsonNode partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    out.println();
    TextTable table = new TextTable("partition", "done", "of about", "built");
    for (JsonNode partition : partitions) {
      table.row(
          Units.number(partition.path("partition")),
          Units.number(partition.path("done")),
          Units.number(partition.path("estimated")),
          partition.path("built").asBoolean() ? "yes" : "no");
    }
    table.print(out);
  }

  /** What a definition changes. */
  void change(JsonNode change) {
    String name = change.path("name").asText();
    String verb = change.path("created").asBoolean() ? "is new" : "exists";
    out.println("%s %s: %s".formatted(name, verb, change.path("cost").asText()));
    for (JsonNode field : change.path("fields")) {
      out.println(
          "  %s: %s -> %s"
              .formatted(
                  field.path("name").asText(),
                  value(field.path("before")),
                  value(field.path("after"))));
    }
  }

  private static String value(JsonNode json) {
    return json.isMissingNode() ? "(nothing)" : json.toString();
  }
}
