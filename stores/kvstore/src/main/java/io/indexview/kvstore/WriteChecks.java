package io.indexview.kvstore;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What every adapter checks before it writes, so that all refuse the same calls in the same words.
 */
public final class WriteChecks {
  private WriteChecks() {}

  /**
   * @throws KvStoreException.Refused if the key belongs to a large object
   */
  public static void requireWritable(KvKey key) {
    if (key.isLob()) {
      throw new KvStoreException.Refused(
          "Key %s ends in '%s': it belongs to a large object and cannot be written as a record."
              .formatted(key, KvKey.LOB_SUFFIX));
    }
  }

  /**
   * @throws IllegalArgumentException if there is no operation, two have the same key, or two have
   *     different major paths
   * @throws KvStoreException.Refused if a key belongs to a large object
   */
  public static void requireExecutable(List<KvOperation> operations) {
    if (operations.isEmpty()) {
      throw new IllegalArgumentException("execute needs at least one operation.");
    }
    KvKey first = operations.get(0).key();
    Set<KvKey> keys = new HashSet<>();
    for (KvOperation operation : operations) {
      KvKey key = operation.key();
      requireWritable(key);
      if (!key.major().equals(first.major())) {
        throw new IllegalArgumentException(
            "Operations of one execute share a major path; %s and %s do not."
                .formatted(first, key));
      }
      if (!keys.add(key)) {
        throw new IllegalArgumentException(
            "Operations of one execute have different keys; %s comes twice.".formatted(key));
      }
    }
  }
}
