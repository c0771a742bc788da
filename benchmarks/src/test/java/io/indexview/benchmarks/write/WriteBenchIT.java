package io.indexview.benchmarks.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.BenchRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the benchmark as little as it can: that all write the same, and ask as often. */
class WriteBenchIT {
  private static final int RECORDS = 0;
  private static final int CONTESTANT = 2;
  private static final int STORE_REQUESTS = 9;
  private static final int EVENTS = 10;

  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  @Test
  void writesTheSameInEveryWayWithARequestAWrite() {
    assertThat(
            bench.run(
                "write",
                "--people=100",
                "--records=1,4",
                "--callers=2",
                "--trial-ms=100",
                "--rounds=1",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();

    assertThat(bench.err())
        .contains("write, 1 records: all write the same", "write, 4 records: all write the same");
    List<List<String>> lines = bench.figures();
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
    assertThat(bench.run("write", "--people=100", "--records=50")).isEqualTo(2);
    assertThat(bench.err()).contains("--people: 100 must be at least 250");
  }
}
