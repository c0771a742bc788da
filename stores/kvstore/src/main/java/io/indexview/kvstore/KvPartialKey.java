package io.indexview.kvstore;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A leading run of keys. Without a minor path it stands for all keys whose major path begins with
 * it, else for the keys of its major path whose minor path begins with its own. Whole components
 * count.
 */
public record KvPartialKey(KvKey start) {
  /** Records are fetched with their values, which may be large. */
  private static final int BATCH = 50;

  /** A page with more bytes of values than this has no further record. */
  private static final long PAGE_BYTES = 8L << 20;

  public KvPartialKey {
    Objects.requireNonNull(start, "start");
  }

  /**
   * A page of records, in key order; may be empty although more follow.
   *
   * @param next after which key the next page begins; empty: nothing is left
   */
  public record Page(List<KvRecord> records, Optional<KvKey> next) {
    public Page {
      records = List.copyOf(records);
    }
  }

  /** Whether the key begins with this. */
  public boolean includes(KvKey key) {
    List<String> minor = start.minor();
    return minor.isEmpty()
        ? start.isMajorPrefixOf(key)
        : key.major().equals(start.major())
            && key.minor().size() >= minor.size()
            && key.minor().subList(0, minor.size()).equals(minor);
  }

  /**
   * Reads the first records in key order, with absolute consistency, each for itself. Large objects
   * and rows of tables are passed over. Without a minor path the store looks at every key that
   * follows, since it does not keep keys in order.
   *
   * @param of what is read is among these; other record sets may have keys that begin with this,
   *     too
   * @param after begins with this; null: from the beginning
   * @param limit records, at least 1
   * @throws IllegalArgumentException if {@code after} does not begin with this
   */
  public Page page(KvStore store, KvKeySet of, KvKey after, int limit) {
    if (after != null && !includes(after)) {
      throw new IllegalArgumentException("key %s does not begin with %s".formatted(after, start));
    }
    List<KvKey> keys =
        start.minor().isEmpty()
            ? scan(store, of, after, limit + 1)
            : walk(store, of, after, limit + 1);
    List<KvRecord> records = new ArrayList<>();
    long bytes = 0;
    int read = 0;
    while (read < Math.min(limit, keys.size()) && bytes < PAGE_BYTES) {
      Optional<KvRecord> record = store.get(keys.get(read));
      if (record.isPresent() && !record.get().tableRow()) {
        records.add(record.get());
        bytes += record.get().value().length;
      }
      read++;
    }
    return new Page(
        records, read < keys.size() ? Optional.of(keys.get(read - 1)) : Optional.empty());
  }

  /**
   * The first keys of one major path, in key order. Large objects and rows of tables are passed
   * over.
   *
   * @param of they are among these
   * @param majorPath which this does not exclude
   */
  public List<KvKey> keys(KvStore store, KvKeySet of, KvKey majorPath, int limit) {
    KvKey parent = start.minor().isEmpty() ? majorPath : start;
    List<KvKey> first = new ArrayList<>();
    try (KvIterator<KvRecord> records =
        store.iterator(
            KvSelection.of(parent), KvDirection.FORWARD, KvConsistency.ABSOLUTE, BATCH)) {
      while (first.size() < limit && records.hasNext()) {
        KvRecord record = records.next();
        if (!record.tableRow() && isWanted(record.key(), of, null)) {
          first.add(record.key());
        }
      }
    }
    return first;
  }

  /** The first keys among those of many major paths. */
  private List<KvKey> scan(KvStore store, KvKeySet of, KvKey after, int limit) {
    int depth = start.major().size();
    KvRange range =
        after == null || after.major().size() == depth
            ? KvRange.ALL
            : KvRange.from(after.major().get(depth), true);
    PriorityQueue<KvKey> first = new PriorityQueue<>(Comparator.reverseOrder());
    try (KvIterator<KvKey> keys = store.storeKeysIterator(KvScan.under(start).withRange(range))) {
      while (keys.hasNext()) {
        KvKey key = keys.next();
        if (isWanted(key, of, after) && (first.size() < limit || key.compareTo(first.peek()) < 0)) {
          first.add(key);
          if (first.size() > limit) {
            first.remove();
          }
        }
      }
    }
    return first.stream().sorted().toList();
  }

  /** The first keys of one major path, which the store keeps in order. */
  private List<KvKey> walk(KvStore store, KvKeySet of, KvKey after, int limit) {
    int depth = start.minor().size();
    KvSelection selection =
        after == null || after.minor().size() == depth
            ? KvSelection.of(start)
            : KvSelection.below(start, KvRange.from(after.minor().get(depth), true));
    List<KvKey> first = new ArrayList<>();
    try (KvIterator<KvRecord> records =
        store.iterator(selection, KvDirection.FORWARD, KvConsistency.ABSOLUTE, BATCH)) {
      while (first.size() < limit && records.hasNext()) {
        KvKey key = records.next().key();
        if (isWanted(key, of, after)) {
          first.add(key);
        }
      }
    }
    return first;
  }

  private static boolean isWanted(KvKey key, KvKeySet of, KvKey after) {
    return of.contains(key) && (after == null || key.compareTo(after) > 0);
  }

  @Override
  public String toString() {
    return start.toString();
  }
}
