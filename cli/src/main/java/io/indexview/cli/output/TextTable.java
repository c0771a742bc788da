package io.indexview.cli.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table for a terminal: a header, a rule, rows; numbers to the right. */
public final class TextTable {
  private static final int MAX_WIDTH = 72;

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();
  private final boolean[] numeric;

  public TextTable(String... header) {
    this.header = List.of(header);
    this.numeric = new boolean[header.length];
  }

  /** Adds a row; one value per column, null shows as nothing. */
  public TextTable row(Object... values) {
    if (values.length != header.size()) {
      throw new IllegalArgumentException(values.length + " values, " + header.size() + " columns");
    }
    List<String> row = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      numeric[i] |= values[i] instanceof Number;
      row.add(text(values[i]));
    }
    rows.add(row);
    return this;
  }

  private static String text(Object value) {
    if (value == null) {
      return "";
    }
    String text =
        value instanceof Long || value instanceof Integer
            ? String.format(Locale.ROOT, "%,d", ((Number) value).longValue())
            : value.toString();
    text = TerminalText.clean(text);
    return text.length() <= MAX_WIDTH ? text : text.substring(0, MAX_WIDTH - 1) + "…";
  }

  public void print(PrintWriter out) {
    int[] widths = new int[header.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          Math.max(
              header.get(i).length(),
              rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0));
    }
    line(out, header, widths);
    StringBuilder rule = new StringBuilder("  ");
    for (int width : widths) {
      rule.append("-".repeat(width)).append("  ");
    }
    out.println(rule.toString().stripTrailing());
    rows.forEach(row -> line(out, row, widths));
    out.flush();
  }

  private void line(PrintWriter out, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder("  ");
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - cells.get(i).length());
      line.append(numeric[i] ? padding + cells.get(i) : cells.get(i) + padding).append("  ");
    }
    out.println(line.toString().stripTrailing());
  }
}
