package io.indexview.streams.health;

import java.util.LinkedHashSet;
import java.util.Set;

/** Writes metrics in the Prometheus text format 0.0.4; samples of one metric must come together. */
final class PrometheusText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder out = new StringBuilder();
  private final Set<String> described = new LinkedHashSet<>();

  void describe(String name, String type, String help) {
    if (described.add(name)) {
      out.append("# HELP ").append(name).append(' ').append(help).append('\n');
      out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }
  }

  /**
   * @param labels names and values in turn
   */
  void sample(String name, double value, String... labels) {
    out.append(name);
    for (int i = 0; i < labels.length; i += 2) {
      out.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      escape(labels[i + 1]);
      out.append('"');
    }
    if (labels.length > 0) {
      out.append('}');
    }
    out.append(' ').append(format(value)).append('\n');
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '"' -> out.append("\\\"");
        case '\n' -> out.append("\\n");
        default -> out.append(c);
      }
    }
  }

  private static String format(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
