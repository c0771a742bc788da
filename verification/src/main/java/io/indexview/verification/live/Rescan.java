package io.indexview.verification.live;

import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import java.util.function.Predicate;

/** Rows of the target that are asked for; others come, too. */
final class Rescan implements TargetReader.Visitor {
  private final TargetReader target;
  private final RowJoin join;
  private final Predicate<String> sample;
  private final TargetReader.Meter meter;
  private final Runnable came;

  /**
   * @param sample which rows are compared, by their ids
   * @param came is called after each row
   */
  Rescan(
      TargetReader target,
      RowJoin join,
      Predicate<String> sample,
      TargetReader.Meter meter,
      Runnable came) {
    this.target = target;
    this.join = join;
    this.sample = sample;
    this.meter = meter;
    this.came = came;
  }

  @Override
  public void consumed(long bytes, double readUnits) {
    meter.consumed(bytes, readUnits);
  }

  @Override
  public void row(Row row) {
    if (sample.test(row.id())) {
      join.found(row.id(), RowImage.of(target.content(row)));
    }
    came.run();
  }

  @Override
  public void tombstone(String id) {
    came.run();
  }

  @Override
  public void unexpected(String id, Kind kind, String reason, byte[] content) {
    came.run();
  }
}
