package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.embedded.BatchReader.StoredRecord;
import io.indexview.kvstore.embedded.KeyRanges.ByteRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** Walks over ranges batch by batch, resuming each batch after the last key that was read. */
final class BatchIterator<T> implements KvIterator<T> {
  /** Reads one batch; a batch shorter than the batch size is the range's last. */
  interface Batches {
    List<StoredRecord> read(ByteRange range, KvDirection direction, int limit);
  }

  private final Batches batches;
  private final Function<StoredRecord, T> decoder;
  private final KvDirection direction;
  private final int batchSize;
  private final Deque<ByteRange> remaining;
  private Iterator<StoredRecord> batch = List.<StoredRecord>of().iterator();

  BatchIterator(
      Batches batches,
      Function<StoredRecord, T> decoder,
      List<ByteRange> ranges,
      KvDirection direction,
      int batchSize) {
    this.batches = batches;
    this.decoder = decoder;
    this.direction = direction;
    this.batchSize = batchSize;
    this.remaining = new ArrayDeque<>(ranges.size());
    for (ByteRange range : ranges) {
      if (direction == KvDirection.FORWARD) {
        remaining.addLast(range);
      } else {
        remaining.addFirst(range);
      }
    }
  }

  @Override
  public boolean hasNext() {
    while (!batch.hasNext() && !remaining.isEmpty()) {
      fetch();
    }
    return batch.hasNext();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return decoder.apply(batch.next());
  }

  @Override
  public void close() {
    remaining.clear();
    batch = List.<StoredRecord>of().iterator();
  }

  private void fetch() {
    // The range leaves the queue only after it was read, so that a failed read can be repeated.
    ByteRange range = remaining.peekFirst();
    List<StoredRecord> read = batches.read(range, direction, batchSize);
    remaining.removeFirst();
    if (read.size() >= batchSize) {
      byte[] lastKey = read.get(read.size() - 1).key();
      remaining.addFirst(
          direction == KvDirection.FORWARD ? range.after(lastKey) : range.before(lastKey));
    }
    batch = read.iterator();
  }
}
