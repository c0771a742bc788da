package io.indexview.kvstore;

import java.util.Objects;

/**
 * A scan across major paths: every record whose major path begins with the parent's, in no
 * particular order.
 *
 * @param parent a leading run of a major path, with no minor path; null for the whole store
 * @param range restricts the major component after the parent; records whose major path ends at the
 *     parent are then left out
 * @param consistency {@link KvConsistency#ABSOLUTE} or {@link KvConsistency#NONE}
 * @param batchSize how many records to fetch at a time
 * @param concurrency how many partitions to read at once
 */
public record KvScan(
    KvKey parent, KvRange range, KvConsistency consistency, int batchSize, int concurrency) {
  private static final int DEFAULT_BATCH_SIZE = 500;

  /**
   * @throws IllegalArgumentException if the parent has a minor path (a leading run of the key does
   *     not skip into the minor path: use {@link KvStore#iterator}), the consistency is by version,
   *     or a number is not positive
   */
  public KvScan {
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(consistency, "consistency");
    if (parent != null && !parent.minor().isEmpty()) {
      throw new IllegalArgumentException(
          ("The parent %s of a scan has a minor path; a scan takes a leading run of the major path."
                  + " Read one full major path with iterator or multiGet.")
              .formatted(parent));
    }
    if (consistency instanceof KvConsistency.AtLeast) {
      throw new IllegalArgumentException(
          "A scan crosses shards: it is read with consistency ABSOLUTE or NONE, not by version.");
    }
    if (batchSize < 1 || concurrency < 1) {
      throw new IllegalArgumentException(
          "batchSize %d and concurrency %d must be at least 1.".formatted(batchSize, concurrency));
    }
  }

  /** The whole store, ABSOLUTE, one partition after the other. */
  public static KvScan all() {
    return new KvScan(null, KvRange.ALL, KvConsistency.ABSOLUTE, DEFAULT_BATCH_SIZE, 1);
  }

  /** Returns a scan of everything whose major path begins with the parent's, ABSOLUTE. */
  public static KvScan under(KvKey parent) {
    return new KvScan(parent, KvRange.ALL, KvConsistency.ABSOLUTE, DEFAULT_BATCH_SIZE, 1);
  }

  public KvScan withRange(KvRange newRange) {
    return new KvScan(parent, newRange, consistency, batchSize, concurrency);
  }

  public KvScan withConsistency(KvConsistency newConsistency) {
    return new KvScan(parent, range, newConsistency, batchSize, concurrency);
  }

  public KvScan withBatchSize(int newBatchSize) {
    return new KvScan(parent, range, consistency, newBatchSize, concurrency);
  }

  public KvScan withConcurrency(int newConcurrency) {
    return new KvScan(parent, range, consistency, batchSize, newConcurrency);
  }
}
