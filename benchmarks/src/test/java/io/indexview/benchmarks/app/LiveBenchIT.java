package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.IndexviewBench;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the benchmarks of a running app as little as it can: that they work, not what they say. */
class LiveBenchIT {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = IndexviewBench.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  /** It has the live load of freshness. */
  @Test
  void buildsAViewBesideLiveEvents() {
    assertThat(run("build", "--records=60", "--rate=50", "--seconds=1", "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(out.toString()).contains("| 60 ");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  @ExhaustiveTier
  void tellsHowSoonRowsAreThere() {
    assertThat(
            run(
                "freshness",
                "--rates=50",
                "--keys=60",
                "--warm-up=0",
                "--seconds=1",
                "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(out.toString()).contains("| plain ", "| app-flat ");
  }

  @Test
  @ExhaustiveTier
  void endsAndStartsAgainInEveryWay() {
    assertThat(run("restart", "--records=60", "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(out.toString()).contains("| stop ", "| kill ", "| standby ");
    assertThat(err.toString()).contains("restart: all 120 rows are right");
  }

  @Test
  @ExhaustiveTier
  void growsInRecordsAndViews() {
    assertThat(run("growth", "--records=20,40", "--views=1,3", "--events=50", "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(err.toString()).contains("growth: 40 records, 3 views", "rows are right");
  }

  @Test
  void refusesContestantsWhoseEventsItCannotWrite() {
    assertThat(run("freshness", "--contestants=app-envelope")).isEqualTo(2);
    assertThat(err.toString())
        .contains("\"app-envelope\": there are [plain, tuned, app-flat, app-at-least-once]");
  }

  @Test
  void refusesWaysThatThereAreNot() {
    assertThat(run("restart", "--ways=fall")).isEqualTo(2);
    assertThat(err.toString()).contains("stop, kill, standby");
  }
}
