package io.indexview.connect.kvstore.source;

/**
 * How fast a scan may read. It never waits: it says what may be read now, so that a task stays
 * ready to stop. What was not used adds up to one second's worth. For one thread.
 */
final class ReadRateLimiter {
  private static final double MS_PER_SECOND = 1_000;

  private final long recordsPerSecond;
  private final long bytesPerSecond;
  private double records;
  private double bytes;
  private long at = Long.MIN_VALUE;

  /**
   * @param recordsPerSecond 0: no limit
   * @param bytesPerSecond of keys and values; 0: no limit
   */
  ReadRateLimiter(long recordsPerSecond, long bytesPerSecond) {
    this.recordsPerSecond = recordsPerSecond;
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Time goes on; the clock may be set back. */
  void tick(long nowMs) {
    double seconds = at == Long.MIN_VALUE ? 1 : Math.max(0, nowMs - at) / MS_PER_SECOND;
    at = nowMs;
    records = Math.min(recordsPerSecond, records + seconds * recordsPerSecond);
    bytes = Math.min(bytesPerSecond, bytes + seconds * bytesPerSecond);
  }

  /** Whether one more record may be read by now. */
  boolean allows() {
    return (recordsPerSecond == 0 || records >= 1) && (bytesPerSecond == 0 || bytes > 0);
  }

  /** A record was read, or looked for in vain with 0 bytes. */
  void read(long size) {
    records--;
    readMore(size);
  }

  /** Records were read beside those that were looked for. */
  void readOthers(long count, long size) {
    records -= count;
    bytes -= size;
  }

  /** What was looked for had so many bytes. */
  void readMore(long size) {
    bytes -= size;
  }
}
