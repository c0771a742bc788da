package io.indexview.client.verify.live;

import io.indexview.client.verify.Row;
import io.indexview.client.verify.TargetReader;

/** Puts everything that the target holds where it is compared, or counts it. */
final class FullScan implements TargetReader.ContentVisitor {
  private final TargetReader target;
  private final DigestJoin join;
  private final Findings findings;
  private final Runnable came;

  /**
   * @param came is called after each row
   */
  FullScan(TargetReader target, DigestJoin join, Findings findings, Runnable came) {
    this.target = target;
    this.join = join;
    this.findings = findings;
    this.came = came;
  }

  private void came() {
    findings.scanned();
    came.run();
  }

  @Override
  public void row(Row row) {
    content(row.id(), target.content(row).content());
  }

  @Override
  public void content(String id, byte[] content) {
    join.found(id, content);
    came();
  }

  @Override
  public void tombstone(String id) {
    findings.tombstone();
    came();
  }

  @Override
  public void foreign(String id, String reason) {
    findings.foreign(id, reason);
    came();
  }
}
