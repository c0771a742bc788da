package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.output.Units;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How far a verification is: one line of a terminal, painted over and over, or for logs a line for
 * each step, and one now and then while a step lasts. Not safe for use by several threads.
 */
final class ProgressLine {
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);
  private static final int LINE = 78;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long SECOND_MS = TimeUnit.SECONDS.toMillis(1);

  private final String view;
  private final long expected;
  private final boolean paints;
  private final PrintWriter out;
  private String step = "";
  private long stepNanos;
  private long stepRows;
  private long rows = -1;

  /** While the step lasts, up to when the server last told of more rows; 0: not known. */
  private double perSecond;

  private long shownNanos;
  private long shownRows = -1;

  /**
   * @param expected rows of the target, about; 0: not known
   * @param paints whether it has a line of a terminal for itself
   */
  ProgressLine(String view, long expected, boolean paints, PrintWriter out) {
    this.view = view;
    this.expected = expected;
    this.paints = paints;
    this.out = out;
  }

  /** Shows a verification as the server has just shown it. */
  void show(JsonNode verification, long nowNanos) {
    String now = verification.path("step").asText(verification.path("status").asText());
    long scanned = verification.path("counts").path("scanned").asLong();
    boolean isNext = !now.equals(step);
    if (isNext) {
      step = now;
      stepNanos = nowNanos;
      stepRows = scanned;
      perSecond = 0;
    } else if (scanned != rows && nowNanos - stepNanos >= SECOND) {
      perSecond = (scanned - stepRows) * SECOND / (nowNanos - stepNanos);
    }
    rows = scanned;
    boolean isDue = rows != shownRows && nowNanos - shownNanos >= BETWEEN_LINES.toNanos();
    if (paints || isNext || isDue) {
      shownNanos = nowNanos;
      shownRows = rows;
      tell(TerminalText.clean(line()));
    }
  }

  private void tell(String line) {
    if (paints) {
      String shown = line.length() > LINE ? line.substring(0, LINE - 1) + "…" : line;
      out.print("\r" + shown + " ".repeat(LINE - shown.length()));
    } else {
      out.println(line);
    }
    out.flush();
  }

  /** What is most wanted comes first: a terminal may show no more. */
  private String line() {
    StringBuilder line = new StringBuilder(view).append(": ").append(step);
    boolean isReading = perSecond > 0;
    if (isReading && rows < expected) {
      long leftMs = (long) ((expected - rows) / perSecond * SECOND_MS);
      line.append(", ").append(Units.percent(rows, expected));
      line.append(", ").append(Units.duration(leftMs)).append(" left");
    }
    if (rows > 0) {
      line.append(String.format(Locale.ROOT, ", %,d", rows));
      if (isReading && rows < expected) {
        line.append(String.format(Locale.ROOT, " of about %,d", expected));
      }
      line.append(" rows read");
    }
    if (isReading) {
      line.append(String.format(Locale.ROOT, ", %,d a second", Math.round(perSecond)));
    }
    return line.toString();
  }

  /** Nothing follows: clears the line that was painted. */
  void end() {
    if (paints) {
      out.print("\r" + " ".repeat(LINE) + "\r");
      out.flush();
    }
  }
}
