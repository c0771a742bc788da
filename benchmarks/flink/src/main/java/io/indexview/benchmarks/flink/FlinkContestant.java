package io.indexview.benchmarks.flink;

import io.indexview.benchmarks.app.EntrantCommand;

/** The process of a contestant of Flink. */
public final class FlinkContestant {
  private FlinkContestant() {}

  /** Ends the process with an exit code. */
  public static void main(String[] args) {
    System.exit(EntrantCommand.run(SqlJob::start, args));
  }
}
