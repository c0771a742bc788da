package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.BenchRun;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the benchmarks of a running app as little as it can: that they work, not what they say. */
class LiveBenchIT {
  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  /** It has the live load of freshness. */
  @Test
  @ExhaustiveTier
  void buildsAViewBesideLiveEvents() {
    assertThat(bench.run("build", "--records=60", "--rate=50", "--seconds=1", "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.out()).contains("| 60 ");
    assertThat(directory).isEmptyDirectory();
  }

  /** Of the people one is looked for in the store. */
  @Test
  @ExhaustiveTier
  void tellsHowSoonRowsCanBeReadInTheStore() {
    assertThat(
            bench.run(
                "freshness",
                "--contestants=app-flat",
                "--store",
                "--rates=200",
                "--keys=20",
                "--warm-up=0",
                "--seconds=1",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    List<String> figures = bench.figures().get(0);
    assertThat(figures).startsWith("app-flat", "200");
    assertThat(figures.subList(figures.size() - 3, figures.size()))
        .allSatisfy(millis -> assertThat(millis).matches("[1-9][0-9,]*"));
    assertThat(directory).isEmptyDirectory();
  }

  /** The second load is as the first one, and each of its events has a row, too. */
  @Test
  @ExhaustiveTier
  void tellsHowSoonRowsAreThere() {
    assertThat(
            bench.run(
                "freshness",
                "--rates=50,50",
                "--keys=60",
                "--warm-up=0",
                "--seconds=1",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.out()).contains("| plain ", "| app-flat ");
  }

  @Test
  @ExhaustiveTier
  void endsAndStartsAgainInEveryWay() {
    assertThat(bench.run("restart", "--records=60", "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.out()).contains("| stop ", "| kill ", "| standby ");
    assertThat(bench.err()).contains("restart: all 120 rows are right");
  }

  @Test
  @ExhaustiveTier
  void growsInRecordsAndViews() {
    assertThat(
            bench.run(
                "growth", "--records=20,40", "--views=1,3", "--events=50", "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.err()).contains("growth: 40 records, 3 views", "rows are right");
  }

  @Test
  void refusesContestantsWhoseEventsItCannotWrite() {
    assertThat(bench.run("freshness", "--contestants=app-envelope")).isEqualTo(2);
    assertThat(bench.err())
        .contains(
            "\"app-envelope\": there are [plain, tuned, app-flat, app-at-least-once, flink-heap, ");
  }

  @Test
  void refusesWaysThatThereAreNot() {
    assertThat(bench.run("restart", "--ways=fall")).isEqualTo(2);
    assertThat(bench.err()).contains("stop, kill, standby");
  }
}
