package io.indexview.benchmarks.verify;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.LiveVerification;
import io.indexview.verification.live.RowLog;
import io.indexview.views.definition.ViewGeneration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The view that is verified, and how. */
final class VerifiedView {
  static final ViewGeneration GENERATION =
      BenchViews.generation(
          "verified",
          1,
          """
          key: [city, id]
          shardKey: 1
          include: [name, org, cost, born, note]
          target: kv
          layout: key-value
          """);

  static final long REVISION = 1_700_000_000_000L;

  /** Usual of servers ({@code verification.memory.bytes}). */
  private static final long MEMORY_BYTES = 128 << 20;

  private VerifiedView() {}

  /**
   * Verifies it; returns its rows.
   *
   * @param parent directory for the files of the verification
   * @throws IllegalStateException unless so many rows are found, all right
   */
  static long verify(RowLog log, TargetReader target, Path parent, long rows) throws Exception {
    Path directory = Files.createTempDirectory(parent, "verification");
    LiveVerification verification =
        new LiveVerification(log, target, directory, MEMORY_BYTES, id -> true, new Uninterested());
    verification.run(Optional.empty(), false);
    Files.delete(directory);
    Counts counts = verification.counts();
    if (!counts.equals(
        new Counts(rows, rows, 0, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 0))) {
      throw new IllegalStateException("%s of %d rows".formatted(counts, rows));
    }
    return rows;
  }

  private static final class Uninterested implements LiveVerification.Monitor {
    @Override
    public void at(String step, Counts counts) {}

    @Override
    public void rowRead() {}

    @Override
    public void consumed(long bytes, double readUnits) {}

    @Override
    public void pause(Duration duration) {
      throw new IllegalStateException("the sink has applied everything");
    }
  }
}
