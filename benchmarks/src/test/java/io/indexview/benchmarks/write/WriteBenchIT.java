package io.indexview.benchmarks.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.IndexviewBench;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the benchmark as little as it can: that all write the same, and ask as often. */
class WriteBenchIT {
  private static final int RECORDS = 0;
  private static final int CONTESTANT = 2;
  private static final int STORE_REQUESTS = 9;
  private static final int EVENTS = 10;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = IndexviewBench.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  @Test
  void writesTheSameInEveryWayWithARequestAWrite() {
    assertThat(
            run(
                "write",
                "--people=100",
                "--records=1,4",
                "--callers=2",
                "--trial-ms=100",
                "--rounds=1",
                "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();

    assertThat(err.toString())
        .contains("write, 1 records: all write the same", "write, 4 records: all write the same");
    List<List<String>> lines =
        out.toString()
            .lines()
            .filter(line -> line.startsWith("|"))
            .skip(2)
            .map(line -> Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
            .toList();
    assertThat(lines).hasSize(10);
    for (List<String> line : lines) {
      boolean silent = line.get(CONTESTANT).equals("bare put");
      assertThat(line.get(STORE_REQUESTS))
          .as("%s", line)
          .isEqualTo(line.get(RECORDS).equals("1") ? "1.00" : "0.25");
      assertThat(line.get(EVENTS)).as("%s", line).isEqualTo(silent ? "0.00" : "1.00");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void refusesFewerPeopleThanItNeeds() {
    assertThat(run("write", "--people=100", "--records=50")).isEqualTo(2);
    assertThat(err.toString()).contains("--people: 100 must be at least 250");
  }
}
