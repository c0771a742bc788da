package io.indexview.benchmarks.contest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of results, in Markdown that is easy to read as it is. */
public final class Table {
  private final String title;
  private final List<List<String>> lines = new ArrayList<>();

  public Table(String title, String... columns) {
    this.title = title;
    lines.add(List.of(columns));
  }

  /** Adds a row, as many cells as there are columns. */
  public Table row(String... cells) {
    if (cells.length != lines.get(0).size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns".formatted(cells.length, lines.get(0).size()));
    }
    lines.add(List.of(cells));
    return this;
  }

  /** A figure with thousands separated. */
  public static String whole(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  /** A figure with two digits after the point. */
  public static String ratio(double number) {
    return String.format(Locale.ROOT, "%.2f", number);
  }

  @Override
  public String toString() {
    int columns = lines.get(0).size();
    int[] widths =
        IntStream.range(0, columns)
            .map(i -> lines.stream().mapToInt(line -> line.get(i).length()).max().orElse(1))
            .toArray();
    StringBuilder text = new StringBuilder(title).append("\n\n");
    text.append(line(lines.get(0), widths));
    text.append(line(Collections.nCopies(columns, "---"), widths));
    lines.stream().skip(1).forEach(cells -> text.append(line(cells, widths)));
    return text.toString();
  }

  private static String line(List<String> cells, int[] widths) {
    return IntStream.range(0, cells.size())
        .mapToObj(i -> cells.get(i) + " ".repeat(Math.max(0, widths[i] - cells.get(i).length())))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
