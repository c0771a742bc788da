package io.indexview.benchmarks.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a benchmark keeps stores, topics and states while it runs. */
public final class ScratchDirectory {
  @Option(
      names = "--dir",
      description =
          "Where stores, topics and states lie meanwhile. Default: the system's directory.")
  private Path parent;

  /** Null: where the system keeps temporary files. */
  public Path parent() {
    return parent;
  }
}
