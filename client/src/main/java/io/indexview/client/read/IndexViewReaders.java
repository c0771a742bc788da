package io.indexview.client.read;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.read.dynamodb.DynamoDbTarget;
import io.indexview.client.read.kv.KvPrimaryRecords;
import io.indexview.client.read.kv.KvTarget;
import io.indexview.client.read.target.SeveralTargets;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.Topics;
import io.indexview.views.definition.Target;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Readers of the targets there are. */
public final class IndexViewReaders {
  /** A target that is there answers in some milliseconds. */
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

  private IndexViewReaders() {}

  /**
   * Reads the views that the KV store serves.
   *
   * @param store stays the caller's to close
   */
  public static IndexViewReader of(KvStore store, ReaderConfig config) {
    return new CheckedReader(kv(store, config), config);
  }

  /**
   * Reads the views that DynamoDB serves.
   *
   * @param store stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReader of(ItemStore store, Topics topics, ReaderConfig config) {
    return new CheckedReader(dynamoDb(store, topics, config), config);
  }

  /**
   * Reads the views of both targets. Each page looks at both, as a view may move between them.
   *
   * @param kvStore stays the caller's to close
   * @param itemStore stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   */
  public static IndexViewReader of(
      KvStore kvStore, ItemStore itemStore, Topics topics, ReaderConfig config) {
    return new CheckedReader(
        new SeveralTargets(targets(kvStore, itemStore, topics, config)), config);
  }

  /**
   * Looks at what readers of these stores are told, for {@link
   * io.indexview.client.admin.ViewAdmin#connect}.
   *
   * @param kvStore null: none; stays the caller's to close
   * @param itemStore null: none; stays the caller's to close
   * @param topics of the installation, whose prefix the metadata's table has
   * @param config of the readers
   */
  public static TargetStates states(
      KvStore kvStore, ItemStore itemStore, Topics topics, ReaderConfig config) {
    Map<String, ViewTarget> targets = targets(kvStore, itemStore, topics, config);
    return new MetadataStates(new SeveralTargets(targets), targets.keySet(), READ_TIMEOUT);
  }

  private static Map<String, ViewTarget> targets(
      KvStore kvStore, ItemStore itemStore, Topics topics, ReaderConfig config) {
    Map<String, ViewTarget> targets = new HashMap<>();
    if (kvStore != null) {
      targets.put(Target.Kv.TYPE, kv(kvStore, config));
    }
    if (itemStore != null) {
      targets.put(Target.DynamoDb.TYPE, dynamoDb(itemStore, topics, config));
    }
    return targets;
  }

  private static ViewTarget kv(KvStore store, ReaderConfig config) {
    return new KvTarget(store, config.metaPrefixes(), config.sortLimit());
  }

  private static ViewTarget dynamoDb(ItemStore store, Topics topics, ReaderConfig config) {
    return new DynamoDbTarget(store, topics, config.sortLimit());
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
