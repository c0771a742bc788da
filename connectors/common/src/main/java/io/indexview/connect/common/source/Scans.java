package io.indexview.connect.common.source;

import io.indexview.schemas.control.SourceState.Scan;

/**
 * The complete scans of a source partition that others need to know of.
 *
 * @param last null before the first
 * @param lastAdHocSnapshot the last ad-hoc snapshot, which later scans do not replace; null before
 *     the first
 */
public record Scans(Scan last, Scan lastAdHocSnapshot) {
  public static final Scans NONE = new Scans(null, null);

  /** Returns the scans with one more. */
  public Scans and(Scan scan) {
    return new Scans(scan, scan.adHoc() ? scan : lastAdHocSnapshot);
  }

  /** Number of the last scan; 0 before the first. */
  public long count() {
    return last == null ? 0 : last.number();
  }

  /** The highest request that was answered; 0: none. */
  public long answered() {
    return lastAdHocSnapshot == null ? 0 : lastAdHocSnapshot.request();
  }
}
