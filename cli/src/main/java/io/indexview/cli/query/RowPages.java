package io.indexview.cli.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.Printer;
import io.indexview.cli.output.Printer.Format;
import io.indexview.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints pages of rows, as they come. */
public final class RowPages {
  private static final String PRIMARY_KEY = "primary record";
  private static final String RECORD = "record";

  private final Printer printer;
  private final PrintWriter err;
  private long rows;

  /**
   * @param err for what is not the rows themselves
   */
  public RowPages(Printer printer, PrintWriter err) {
    this.printer = printer;
    this.err = err;
  }

  /**
   * Prints a page.
   *
   * @param goesOn whether the next page follows by itself
   */
  public void print(JsonNode page, boolean goesOn) {
    printer.print(page, out -> table(page.path("rows"), out));
    rows += page.path("rows").size();
    if (printer.format() == Format.TABLE) {
      remarks(page, goesOn);
    }
  }

  private static void table(JsonNode rows, PrintWriter out) {
    if (rows.isEmpty()) {
      return;
    }
    JsonNode first = rows.path(0);
    List<String> keys = names(first.path("key"));
    List<String> values = names(first.path("values"));
    List<String> header = new ArrayList<>(keys);
    header.add(PRIMARY_KEY);
    header.addAll(values);
    boolean fetched = first.has(RECORD);
    if (fetched) {
      header.add(RECORD);
    }
    TextTable table = new TextTable(header.toArray(String[]::new));
    for (JsonNode row : rows) {
      List<Object> cells = new ArrayList<>();
      keys.forEach(name -> cells.add(cell(row.path("key").path(name))));
      cells.add(row.path("primaryKey").asText());
      values.forEach(name -> cells.add(cell(row.path("values").path(name))));
      if (fetched) {
        cells.add(row.path(RECORD).toString());
      }
      table.row(cells.toArray());
    }
    table.print(out);
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String cell(JsonNode value) {
    return value.isContainerNode() ? value.toString() : value.isNull() ? "" : value.asText();
  }

  private void remarks(JsonNode page, boolean goesOn) {
    if (!page.path("state").asText().equals("READY")) {
      err.println(
          "The view is %s: %s"
              .formatted(
                  page.path("state").asText(), page.path("reason").asText("rows may be wrong")));
    }
    JsonNode leftOut = page.path("leftOut");
    leftOut(leftOut.path("gone").asInt(), "their primary records are gone");
    leftOut(leftOut.path("noLongerMatching").asInt(), "their primary records no longer give them");
    leftOut(leftOut.path("unreadable").asInt(), "their primary records cannot be read");
    if (page.hasNonNull("next") && !goesOn) {
      err.println("More: --page " + page.path("next").asText());
    } else if (!page.hasNonNull("next")) {
      err.println(rows == 1 ? "1 row" : "%,d rows".formatted(rows));
    }
    err.flush();
  }

  private void leftOut(int rows, String why) {
    if (rows > 0) {
      err.println("%,d rows left out: %s".formatted(rows, why));
    }
  }
}
