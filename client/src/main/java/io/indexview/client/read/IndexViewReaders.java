package io.indexview.client.read;

import io.indexview.client.read.dynamodb.DynamoDbTarget;
import io.indexview.client.read.kv.KvPrimaryRecords;
import io.indexview.client.read.kv.KvTarget;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.Topics;

/** Readers of the targets there are. */
public final class IndexViewReaders {
  private IndexViewReaders() {}

  /**
   * Reads the views that the KV store serves.
   *
   * @param store stays the caller's to close
   */
  public static IndexViewReader of(KvStore store, ReaderConfig config) {
    return new CheckedReader(
        new KvTarget(store, config.metaPrefixes(), config.sortLimit()), config);
  }

  /**
   * Reads the views that DynamoDB serves.
   *
   * @param store stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReader of(ItemStore store, Topics topics, ReaderConfig config) {
    return new CheckedReader(new DynamoDbTarget(store, topics, config.sortLimit()), config);
  }

  /**
   * Primary records in the KV store, for {@link ReaderConfig#fetchingFrom}.
   *
   * @param store stays the caller's to close
   */
  public static PrimaryRecords recordsIn(KvStore store) {
    return new KvPrimaryRecords(store);
  }
}
