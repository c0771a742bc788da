package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.BenchRun;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the benchmark as little as it can: that it works, not what it says. */
class AppBenchIT {
  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  /** All that there are take minutes on a small machine: a process each. */
  @Test
  @ExhaustiveTier
  void derivesTheSameRowsInEveryWay() {
    assertThat(
            bench.run(
                "app",
                "--events=300",
                "--keys=50",
                "--rounds=2",
                "--contestants=app-envelope,flink-heap,limit",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.out()).contains("| app-envelope ", "| limit ");
    assertThat(bench.err()).contains("app-envelope: all ", "limit: all ", "round 2 of 2");
    // No class path of it has been given.
    assertThat(bench.err()).contains("app: without flink-heap, which needs Flink");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void refusesContestantsThatThereAreNot() {
    assertThat(bench.run("app", "--contestants=plain,fast")).isEqualTo(2);
    assertThat(bench.err()).contains("\"fast\": there are [plain, ");
  }

  @Test
  void refusesWhatIsNotThereAndAlone() {
    assertThat(bench.run("app", "--contestants=flink-heap,flink-rocksdb")).isEqualTo(2);
    assertThat(bench.err()).contains("\"flink-heap, flink-rocksdb\": needs Flink");
  }

  @Test
  void refusesAnotherBuildOfFlink() {
    assertThat(
            bench.run(
                "app", "--other-class-path=" + directory, "--contestants=plain,other-flink-heap"))
        .isEqualTo(2);
    assertThat(bench.err()).contains("\"other-flink-heap\": it has a class path of its own");
  }

  @Test
  void refusesToCompareAContestantWithItself() {
    assertThat(bench.run("app", "--contestants=plain,plain")).isEqualTo(2);
    assertThat(bench.err()).contains("\"plain,plain\": each once");
  }

  @Test
  void refusesToKillWhatHasNoState() {
    assertThat(bench.run("app", "--kill", "--contestants=plain,limit")).isEqualTo(2);
    assertThat(bench.err()).contains("\"limit\": it cannot be killed");
  }

  @Test
  void refusesViewsThatThereAreNot() {
    assertThat(bench.run("app", "--views=none")).isEqualTo(2);
    assertThat(bench.err())
        .contains("--views: \"none\": use a number from 1 to 999, filter or array");
  }

  @Test
  void refusesAnotherBuildThatIsNotGiven() {
    assertThat(bench.run("app", "--contestants=plain,other-plain")).isEqualTo(2);
    assertThat(bench.err()).contains("\"other-plain\": give --other-class-path");
  }
}
