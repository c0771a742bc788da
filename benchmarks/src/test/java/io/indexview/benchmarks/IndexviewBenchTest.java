package io.indexview.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each benchmark once, as little as it can: that it works, not what it says. */
class IndexviewBenchTest {
  private static final String[] JMH = {
    "--rounds=1", "--forks=0", "--iterations=1", "--iteration-ms=1"
  };

  @TempDir private Path directory;
  private final BenchRun bench = new BenchRun();

  private int runJmh(String benchmark, String... more) {
    String[] arguments = new String[JMH.length + more.length + 1];
    arguments[0] = benchmark;
    System.arraycopy(JMH, 0, arguments, 1, JMH.length);
    System.arraycopy(more, 0, arguments, JMH.length + 1, more.length);
    return bench.run(arguments);
  }

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
  void tellsThatAVerificationDoesNotFit() {
    assertThat(
            bench.run(
                "verify",
                "--rows=1",
                "--rounds=1",
                "--memory-rows=200000",
                "--max-heap=24",
                "--dir=" + directory))
        .isEqualTo(1);
    assertThat(bench.err()).contains("OutOfMemoryError");
  }

  @Test
  void derives() {
    assertThat(runJmh("derive", "--views=2")).isZero();
    assertThat(bench.out()).contains("naiveEvent", "decodeAlone");
  }

  @Test
  void encodesAndDecodes() {
    assertThat(runJmh("codec")).isZero();
    assertThat(bench.out()).contains("TIMESTAMP_MILLIS", "plainRead");
  }

  @Test
  void explainsItself() {
    assertThat(bench.run("--help")).isZero();
    assertThat(bench.out())
        .contains("scan", "sink", "queue", "verify", "derive", "codec", "all");
  }

  @Test
  void refusesWhatIsNoNumberOfRecords() {
    assertThat(bench.run("scan", "--sizes=0")).isEqualTo(2);
    assertThat(bench.err()).contains("--sizes: 0 must be at least 1");
  }
}
