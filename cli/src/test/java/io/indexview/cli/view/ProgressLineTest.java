package io.indexview.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static final String READS = "reads the target";

  private final StringWriter out = new StringWriter();

  private ProgressLine progress(long expected, boolean paints) {
    return new ProgressLine("by-city", expected, paints, new PrintWriter(out));
  }

  private static JsonNode at(String step, long rows) {
    ObjectNode verification = JsonNodeFactory.instance.objectNode();
    verification.put("status", "running").put("step", step);
    verification.putObject("counts").put("scanned", rows);
    return verification;
  }

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  /** A verification of a day is no log of a day. */
  @Test
  void tellsEachStepAndThenNowAndThen() {
    ProgressLine progress = progress(1_000_000, false);
    progress.show(at("begins", 0), seconds(0));
    for (int second = 1; second <= 31; second++) {
      progress.show(at(READS, (second - 1) * 20_000L), seconds(second));
    }
    progress.show(at("compares", 1_000_007), seconds(52));
    progress.show(at("compares", 1_000_007), seconds(92));
    progress.end();

    assertThat(out.toString().lines())
        .containsExactly(
            "by-city: begins",
            "by-city: reads the target",
            "by-city: reads the target, 20 %, 40.0 s left, 200,000 of about 1,000,000 rows read, 20,000 a second",
            "by-city: reads the target, 40 %, 30.0 s left, 400,000 of about 1,000,000 rows read, 20,000 a second",
            "by-city: reads the target, 60 %, 20.0 s left, 600,000 of about 1,000,000 rows read, 20,000 a second",
            "by-city: compares, 1,000,007 rows read");
  }

  /** The first one of a view, or a target that has grown since. */
  @Test
  void promisesNoEndThatIsNotKnown() {
    ProgressLine first = progress(0, false);
    first.show(at(READS, 0), seconds(0));
    first.show(at(READS, 500_000), seconds(10));
    ProgressLine grown = progress(400_000, false);
    grown.show(at(READS, 0), seconds(0));
    grown.show(at(READS, 500_000), seconds(10));

    assertThat(out.toString().lines())
        .filteredOn(line -> line.contains("500,000"))
        .hasSize(2)
        .allMatch(
            line -> line.equals("by-city: reads the target, 500,000 rows read, 50,000 a second"));
  }

  /** The server tells of rows every few seconds. */
  @Test
  void keepsTheRateUntilMoreIsTold() {
    ProgressLine progress = progress(0, true);
    progress.show(at(READS, 0), seconds(0));
    progress.show(at(READS, 200_000), seconds(2));
    progress.show(at(READS, 200_000), seconds(3));

    assertThat(out.toString().split("\r"))
        .filteredOn(line -> line.contains("200,000"))
        .hasSize(2)
        .allMatch(line -> line.stripTrailing().endsWith("100,000 a second"));
  }

  @Test
  void paintsOneLineOfATerminalAndClearsItAtItsEnd() {
    ProgressLine progress = progress(1_000_000_000, true);
    progress.show(at(READS, 0), seconds(0));
    progress.show(at(READS, 100_000_000), seconds(1));
    progress.show(at("\u001b[2J", 100_000_000), seconds(2));
    progress.end();

    String blank = " ".repeat(78);
    assertThat(out.toString())
        .startsWith("\r")
        .endsWith("\r" + blank + "\r")
        .doesNotContain("\n", "\u001b");
    assertThat(out.toString().split("\r"))
        .allMatch(line -> line.isEmpty() || line.length() == blank.length())
        .anyMatch(
            line ->
                line.startsWith(
                    "by-city: reads the target, 10 %, 9.0 s left, 100,000,000 of about 1,0"));
  }
}
