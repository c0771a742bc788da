package io.indexview.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each benchmark with a store once, as little as it can: that it works, not what it says. */
class StoreBenchIT {
  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  @Test
  void scans() {
    assertThat(bench.run("scan", "--sizes=20,40", "--rounds=1", "--dir=" + directory)).isZero();
    assertThat(bench.out()).contains("| 20 ", "| 40 ", "first scan", "steady scan");
    assertThat(bench.err()).contains("round 1 of 1");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void writesRowsOfEveryLayout() {
    assertThat(bench.run("sink", "--rows=40", "--rounds=1", "--dir=" + directory)).isZero();
    assertThat(bench.out()).contains("key-only", "key-value", "list", "conditional", "changed");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void writesItems() {
    assertThat(
            bench.run(
                "dynamodb-sink",
                "--table=index",
                "--mode=conditional",
                "--rows=20",
                "--rounds=1",
                "--round-trip-ms=1"))
        .isZero();
    assertThat(bench.out()).contains("bare puts", "| index view | conditional", "1 ms added");
  }

  @Test
  void verifies() {
    assertThat(
            bench.run(
                "verify",
                "--rows=2000",
                "--rounds=1",
                "--memory-rows=2000",
                "--max-heap=64",
                "--dir=" + directory))
        .isZero();
    assertThat(bench.out())
        .contains("bare scan", "decoded scan", "| verification ", "| 2,000 | 64 ");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  @ExhaustiveTier
  void tellsThatAVerificationDoesNotFit() {
    assertThat(
            bench.run(
                "verify",
                "--rows=1",
                "--rounds=1",
                "--memory-rows=200000",
                "--max-heap=16",
                "--dir=" + directory))
        .isEqualTo(1);
    assertThat(bench.err()).contains("OutOfMemoryError");
  }
}
