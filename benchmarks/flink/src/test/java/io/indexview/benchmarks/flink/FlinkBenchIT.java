package io.indexview.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the benchmark with little to do: that all rows are right, not how fast they are. */
class FlinkBenchIT {
  private static final Path BENCHMARKS = Path.of("..").toAbsolutePath().normalize();
  private static final Path PROGRAM = BENCHMARKS.resolveSibling("bin").resolve("indexview-bench");
  private static final Path CLASS_PATH = Path.of("target", "classpath.txt");

  @TempDir private Path directory;

  @BeforeEach
  void needsWhatIsBuilt() {
    assumeTrue(
        Files.exists(CLASS_PATH) && Files.exists(BENCHMARKS.resolve(CLASS_PATH)),
        "needs both class paths: mvn -Pflink -pl benchmarks/flink -am package");
  }

  private String run(String... arguments) throws Exception {
    Path said = directory.resolve("said");
    Path state = Files.createDirectories(directory.resolve("state"));
    ProcessBuilder program = new ProcessBuilder(PROGRAM.toString(), "--no-build", "app");
    program.command().addAll(List.of(arguments));
    program.command().add("--dir=" + state);
    Process process = program.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(said, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).describedAs(output).isZero();
    assertThat(state).isEmptyDirectory();
    return output;
  }

  @Test
  void derivesTheSameRowsWithEveryStateAndGuarantee() throws Exception {
    String said =
        run(
            "--events=3000",
            "--keys=500",
            "--rounds=1",
            "--contestants=flink-heap,flink-heap-exactly-once,flink-rocksdb,"
                + "flink-rocksdb-exactly-once");

    assertThat(said)
        .contains(
            "flink-heap: all ",
            "flink-heap-exactly-once: all ",
            "flink-rocksdb: all ",
            "flink-rocksdb-exactly-once: all ");
  }

  /** From the last checkpoint. */
  @Test
  void goesOnAfterAKill() throws Exception {
    String said =
        run(
            "--events=3000",
            "--keys=500",
            "--rounds=1",
            "--kill",
            "--contestants=flink-heap,flink-rocksdb-exactly-once");

    assertThat(said).contains("flink-heap: all ", "flink-rocksdb-exactly-once: all ");
  }

  @Test
  void filters() throws Exception {
    assertThat(
            run(
                "--events=1000",
                "--keys=200",
                "--rounds=1",
                "--views=filter",
                "--contestants=flink-heap"))
        .contains("flink-heap: all ");
  }
}
