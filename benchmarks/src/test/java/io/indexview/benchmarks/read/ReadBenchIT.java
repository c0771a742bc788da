package io.indexview.benchmarks.read;

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

/** Runs the benchmark as little as it can: that all read the same rows, and ask as often. */
class ReadBenchIT {
  /** Behind the store, the rows of a page, the callers and the contestant come six figures. */
  private static final int FIGURES = 10;

  private static final int KV_REQUESTS = 8;
  private static final int DYNAMODB_REQUESTS = 9;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = IndexviewBench.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  /** Lines of the table without its head. */
  private List<List<String>> figures() {
    return out.toString()
        .lines()
        .filter(line -> line.startsWith("|"))
        .skip(2)
        .map(line -> Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
        .toList();
  }

  private static double figure(List<String> line, int column) {
    assertThat(line).hasSize(FIGURES);
    return Double.parseDouble(line.get(column));
  }

  @Test
  void readsTheSameRowsInEveryWayWithARequestAPage() {
    assertThat(
            run(
                "read",
                "--people=900",
                "--rows=20,500",
                "--callers=2",
                "--trial-ms=100",
                "--rounds=1",
                "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();

    assertThat(err.toString())
        .contains(
            "KV store, pages of 20: all read the same rows",
            "KV store, pages of 500: all read the same rows",
            "DynamoDB, pages of 20: all read the same rows",
            "DynamoDB, pages of 500: all read the same rows");
    assertThat(figures()).hasSize(12);
    for (List<String> line : figures()) {
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
  void fetchesTheRecords() {
    assertThat(
            run(
                "read",
                "--people=60",
                "--rows=10",
                "--callers=1",
                "--trial-ms=100",
                "--rounds=1",
                "--fetch",
                "--dir=" + directory))
        .describedAs("%s", err)
        .isZero();
    assertThat(out.toString()).contains("with their primary records");
    for (List<String> line : figures()) {
      assertThat(figure(line, KV_REQUESTS)).as("%s", line).isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void refusesPagesThatThereAreNot() {
    assertThat(run("read", "--people=100", "--rows=80")).isEqualTo(2);
    assertThat(err.toString()).contains("--people: 100 must be at least 124");
  }
}
