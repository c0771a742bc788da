package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The part of a store below a prefix whose major paths lie between two, in the store's order. A
 * store is not scanned in order, so that this is several reads, each of the whole width of the
 * store. May return records of the lower bound again.
 *
 * @param after lower bound, excluded; null: none
 * @param upTo upper bound, included; null: none
 */
record KeyChunk(KvKey prefix, KvKey after, KvKey upTo) {

  /** One read of the store, of the records in a range. */
  interface RangeRead {
    KvIterator<KvRecord> open(KvStore store, int concurrency, int batchSize);
  }

  /** What to read, one after the other. */
  Queue<RangeRead> reads() {
    Queue<RangeRead> reads = new ArrayDeque<>();
    List<String> root = prefix.major();
    if (after == null && upTo == null) {
      reads.add(below(root, KvRange.ALL));
      return reads;
    }
    List<String> from = after == null ? root : after.major();
    List<String> to = upTo == null ? root : upTo.major();
    int common = commonLength(from, to);
    if (after == null) {
      reads.add(exactly(root));
    }
    up(from, common, reads);
    String lower = from.size() > common ? from.get(common) : null;
    String upper = to.size() > common ? to.get(common) : null;
    if (upper != null || upTo == null) {
      reads.add(below(from.subList(0, common), range(lower, upper)));
    }
    down(to, common, reads);
    return reads;
  }

  /** What comes after a path, up to the end of what shares its first components. */
  private static void up(List<String> from, int common, Queue<RangeRead> reads) {
    if (from.size() == common) {
      return;
    }
    reads.add(below(from, KvRange.ALL));
    for (int i = from.size() - 1; i > common; i--) {
      reads.add(below(from.subList(0, i), KvRange.from(from.get(i), false)));
    }
  }

  /** What comes before a path, from the beginning of what shares its first components. */
  private static void down(List<String> to, int common, Queue<RangeRead> reads) {
    for (int i = common + 1; i < to.size(); i++) {
      reads.add(exactly(to.subList(0, i)));
      reads.add(below(to.subList(0, i), KvRange.to(to.get(i), false)));
    }
    if (to.size() > common) {
      reads.add(exactly(to));
    }
  }

  private static int commonLength(List<String> one, List<String> other) {
    int length = 0;
    while (length < Math.min(one.size(), other.size())
        && one.get(length).equals(other.get(length))) {
      length++;
    }
    return length;
  }

  private static KvRange range(String lower, String upper) {
    if (lower == null && upper == null) {
      return KvRange.ALL;
    }
    // Java and the store disagree on components that hold NUL: rather read too much.
    boolean refused = lower != null && upper != null && lower.compareTo(upper) >= 0;
    return new KvRange(
        lower, lower == null, refused ? null : upper, refused || upper == null, false);
  }

  private static RangeRead below(List<String> major, KvRange range) {
    KvScan scan = KvScan.under(new KvKey(major, List.of())).withRange(range);
    return (store, concurrency, batchSize) ->
        store.storeIterator(scan.withConcurrency(concurrency).withBatchSize(batchSize));
  }

  private static RangeRead exactly(List<String> major) {
    KvSelection selection = KvSelection.of(new KvKey(major, List.of()));
    return (store, concurrency, batchSize) ->
        store.iterator(selection, KvDirection.FORWARD, KvConsistency.ABSOLUTE, batchSize);
  }
}
