package io.indexview.verification.live;

import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Puts everything that the target holds where it is compared, or counts it. */
final class FullScan implements TargetReader.ContentVisitor {
  private final TargetReader target;
  private final DigestJoin join;
  private final Findings findings;
  private final Predicate<String> sample;
  private final UnexpectedRows unexpected;
  private final TargetReader.Meter meter;
  private final Runnable came;
  private final Consumer<String> reached;

  /**
   * @param sample which rows are compared, by their ids
   * @param unexpected takes what is none of the rows, and tombstones that should be gone
   * @param came is called after each row
   * @param reached takes positions
   */
  FullScan(
      TargetReader target,
      DigestJoin join,
      Findings findings,
      Predicate<String> sample,
      UnexpectedRows unexpected,
      TargetReader.Meter meter,
      Runnable came,
      Consumer<String> reached) {
    this.target = target;
    this.join = join;
    this.findings = findings;
    this.sample = sample;
    this.unexpected = unexpected;
    this.meter = meter;
    this.came = came;
    this.reached = reached;
  }

  private void came() {
    findings.scanned();
    came.run();
  }

  @Override
  public void consumed(long bytes, double readUnits) {
    meter.consumed(bytes, readUnits);
  }

  @Override
  public void row(Row row) {
    if (sample.test(row.id())) {
      join.found(row.id(), target.content(row).content());
    }
    came();
  }

  @Override
  public void content(String id, byte[] content) {
    if (sample.test(id)) {
      join.found(id, content);
    }
    came();
  }

  @Override
  public void reached(String position) {
    reached.accept(position);
  }

  @Override
  public void tombstone(String id) {
    findings.tombstone();
    came();
  }

  @Override
  public void expiredTombstone(String id, String reason) {
    findings.expiredTombstone(id, reason);
    unexpected.add(Kind.EXPIRED_TOMBSTONE, id, UnexpectedRow.NO_CONTENT);
    came();
  }

  @Override
  public void unexpected(String id, Kind kind, String reason, byte[] content) {
    findings.unexpected(id, kind, reason);
    unexpected.add(kind, id, UnexpectedRow.digest(content));
    came();
  }
}
