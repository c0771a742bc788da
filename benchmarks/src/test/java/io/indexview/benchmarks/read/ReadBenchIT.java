package io.indexview.benchmarks.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.BenchRun;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the benchmark as little as it can: that all read the same rows, and ask as often. */
class ReadBenchIT {
  /** Behind the store, the rows of a page, the callers and the contestant come six figures. */
  private static final int FIGURES = 10;

  private static final int KV_REQUESTS = 8;
  private static final int DYNAMODB_REQUESTS = 9;

  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  /** Without those of requests that ask for nothing. */
  private List<List<String>> ofPages() {
    return bench.figures().stream().filter(line -> !line.get(3).contains("/health")).toList();
  }

  private static double figure(List<String> line, int column) {
    assertThat(line).hasSize(FIGURES);
    return Double.parseDouble(line.get(column));
  }

  @Test
  void readsTheSameRowsInEveryWayWithARequestAPage() {
    assertThat(
            bench.run(
                "read",
                "--people=900",
                "--rows=20,500",
                "--callers=2",
                "--trial-ms=100",
                "--rounds=1",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();

    assertThat(bench.err())
        .contains(
            "KV store, pages of 20: all read the same rows",
            "KV store, pages of 500: all read the same rows",
            "DynamoDB, pages of 20: all read the same rows",
            "DynamoDB, pages of 500: all read the same rows");
    assertThat(bench.figures()).hasSize(16);
    for (List<String> line : ofPages()) {
      boolean ofKv = line.get(0).equals("KV store");
      // One read of the metadata a second, or two where a page takes as long.
      assertThat(figure(line, ofKv ? KV_REQUESTS : DYNAMODB_REQUESTS))
          .as("requests a page, %s", line)
          .isBetween(1.0, 3.0);
      assertThat(figure(line, ofKv ? DYNAMODB_REQUESTS : KV_REQUESTS))
          .as("requests a page to the other store, %s", line)
          .isZero();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  @ExhaustiveTier
  void fetchesTheRecords() {
    assertThat(
            bench.run(
                "read",
                "--people=60",
                "--rows=10",
                "--callers=1",
                "--trial-ms=100",
                "--rounds=1",
                "--fetch",
                "--dir=" + directory))
        .describedAs("%s", bench.err())
        .isZero();
    assertThat(bench.out()).contains("with their primary records");
    for (List<String> line : ofPages()) {
      assertThat(figure(line, KV_REQUESTS)).as("%s", line).isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void refusesPagesThatThereAreNot() {
    assertThat(bench.run("read", "--people=100", "--rows=80")).isEqualTo(2);
    assertThat(bench.err()).contains("--people: 100 must be at least 124");
  }
}
