package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.IndexviewBench;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the benchmark as little as it can: that it works, not what it says. */
class AppBenchIT {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = IndexviewBench.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  /** All that there are take minutes on a small machine: a process each. */
  @Test
  void derivesTheSameRowsInEveryWay() {
    assertThat(
            run(
                "app",
                "--events=300",
                "--keys=50",
                "--rounds=2",
                "--contestants=app-envelope,limit",
                "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(out.toString()).contains("| app-envelope ", "| limit ");
    assertThat(err.toString()).contains("app-envelope: all ", "limit: all ", "round 2 of 2");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void refusesContestantsThatThereAreNot() {
    assertThat(run("app", "--contestants=plain,fast")).isEqualTo(2);
    assertThat(err.toString()).contains("\"fast\": there are [plain, ");
  }

  @Test
  void refusesToCompareAContestantWithItself() {
    assertThat(run("app", "--contestants=plain,plain")).isEqualTo(2);
    assertThat(err.toString()).contains("\"plain,plain\": each once");
  }

  @Test
  void refusesToKillWhatHasNoState() {
    assertThat(run("app", "--kill", "--contestants=plain,limit")).isEqualTo(2);
    assertThat(err.toString()).contains("\"limit\": it cannot be killed");
  }

  @Test
  void refusesViewsThatThereAreNot() {
    assertThat(run("app", "--views=none")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--views: \"none\": use a number from 1 to 999, filter or array");
  }

  @Test
  void refusesAnotherBuildThatIsNotGiven() {
    assertThat(run("app", "--contestants=plain,other-plain")).isEqualTo(2);
    assertThat(err.toString()).contains("\"other-plain\": give --other-class-path");
  }
}
