package io.indexview.streams.task;

import io.indexview.streams.derive.ChangeRecord;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A partition that holds certain records; returns a few at a time. */
public class ListedChangeTopicReader implements ReplayReader {
  private static final int FETCH = 3;

  private final Supplier<List<ChangeRecord>> records;
  private final LongSupplier end;
  private final Bounds bounds;
  private long position;

  /**
   * @param records asked before each poll
   * @param end where the partition ends then
   */
  public ListedChangeTopicReader(
      Supplier<List<ChangeRecord>> records, LongSupplier end, Bounds bounds) {
    this.records = records;
    this.end = end;
    this.bounds = bounds;
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void seek(long offset) {
    position = offset;
  }

  @Override
  public List<ChangeRecord> poll() {
    List<ChangeRecord> next =
        records.get().stream().filter(record -> record.offset() >= position).limit(FETCH).toList();
    position = next.isEmpty() ? end.getAsLong() : next.get(next.size() - 1).offset() + 1;
    return next;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {
    // Nothing to let go.
  }
}
