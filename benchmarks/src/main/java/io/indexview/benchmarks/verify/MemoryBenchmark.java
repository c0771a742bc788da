package io.indexview.benchmarks.verify;

import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.TemporaryDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** What a verification takes of the heap, in a process of its own. */
final class MemoryBenchmark {
  private static final double MIB = 1 << 20;

  private final Path parent;
  private final Consumer<String> progress;

  /**
   * @param parent directory for the files of the verification; null: the system's
   * @param progress called with what happens
   */
  MemoryBenchmark(Path parent, Consumer<String> progress) {
    this.parent = parent;
    this.progress = progress;
  }

  /**
   * Verifies so many rows.
   *
   * @param maxHeap of the process, in MiB
   * @throws java.io.IOException if they do not fit, with what the process says
   */
  Table run(int rows, int maxHeap) throws Exception {
    progress.accept(
        "verifying %s rows with a heap of %d MiB".formatted(Table.whole(rows), maxHeap));
    try (TemporaryDirectory directory = TemporaryDirectory.in(parent);
        ChildJvm jvm =
            ChildJvm.start(
                "memory",
                directory.path(),
                System.getProperty("java.class.path"),
                List.of("-XX:+UseSerialGC", "-Xmx" + maxHeap + "m"),
                List.of(MemoryCommand.NAME, "--rows=" + rows, "--dir=" + directory.path()))) {
      MemoryCommand.Used used = MemoryCommand.Used.ofLine(jvm.line());
      return new Table(
              "Heap of a verification, MiB; rows are made up",
              "rows",
              "most that it may take",
              "idle",
              "most after a collection",
              "more than idle",
              "rows/s")
          .row(
              Table.whole(rows),
              Table.whole(maxHeap),
              Table.whole(used.idle() / MIB),
              Table.whole(used.max() / MIB),
              Table.whole((used.max() - used.idle()) / MIB),
              Table.whole(rows * 1e9 / used.nanos()));
    }
  }
}
