package io.indexview.streams.task;

import io.indexview.schemas.order.EntryCodec;
import io.indexview.streams.state.Entries;
import org.apache.kafka.common.utils.Utils;

/**
 * Says of primary keys that the state does not have whether events of their records would come to
 * this task. Nobody can tell for sure how a topic's producers place keys, but the entries show
 * whether it is Kafka's way: then all of them are where it places them.
 */
final class OwnKeys {
  private static final int SAMPLE = 200;

  /** So many are where they are by chance once in a million times, of two partitions. */
  private static final int LEAST = 20;

  private final int partition;

  /** 0: nobody can tell. */
  private final int partitions;

  private OwnKeys(int partition, int partitions) {
    this.partition = partition;
    this.partitions = partitions;
  }

  /**
   * Looks at some entries.
   *
   * @param partitions how many the topic has; 0: not known
   */
  static OwnKeys of(Entries entries, int partition, int partitions) {
    int[] seen = {0};
    boolean[] fits = {partitions > 0};
    if (fits[0]) {
      entries.scan(
          null,
          (key, entry) -> {
            seen[0]++;
            fits[0] =
                EntryCodec.decode(entry).keySchemaId() == 0 && isPlaced(key, partition, partitions);
            return fits[0] && seen[0] < SAMPLE;
          });
    }
    boolean known = fits[0] && seen[0] >= (partitions == 1 ? 1 : LEAST);
    return new OwnKeys(partition, known ? partitions : 0);
  }

  boolean contains(byte[] stateKey) {
    return partitions > 0 && isPlaced(stateKey, partition, partitions);
  }

  /** Kafka's way. */
  private static boolean isPlaced(byte[] key, int partition, int partitions) {
    return partitions == 1 || Utils.toPositive(Utils.murmur2(key)) % partitions == partition;
  }
}
