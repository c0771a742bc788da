package io.indexview.server;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PrimaryRecords;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.token.FreshnessGate;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.config.ServerConfig;
import io.indexview.server.config.StoreKeys;
import io.indexview.server.config.TargetKeys;
import io.indexview.verification.DynamoDbRows;
import io.indexview.verification.GenericTargetException;
import io.indexview.verification.KvRows;
import io.indexview.verification.NotReadableHereException;
import io.indexview.verification.TargetReader;
import io.indexview.verification.TombstoneRetention;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.verification.jdbc.JdbcTarget;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import java.util.Map;
import java.util.Optional;

/** The stores that serve views, as far as the configuration names them. */
final class Stores implements AutoCloseable {
  private final Optional<KvStore> kvStore;
  private final Optional<ItemStore> items;
  private final Map<String, JdbcTarget> databases;
  private final IndexViewReaders readers;
  private final TombstoneRetention tombstones;
  private final Runnable closing;

  /** Gives the primary records of a KV store. */
  interface Records {
    PrimaryRecords in(KvStore store);
  }

  private Stores(
      ServerConfig config,
      Records records,
      Optional<KvStore> kvStore,
      Optional<ItemStore> items,
      Runnable closing) {
    this.kvStore = kvStore;
    this.items = items;
    this.databases = config.jdbcTargets();
    this.closing = closing;
    this.tombstones = config.tombstoneRetention();
    ReaderConfig common =
        ReaderConfig.of(config.pageTokens())
            .withMaxLimit(config.pageMaxRows())
            .withMetaPrefixes(config.stores().metaPrefixes())
            .withMetadataMaxAge(config.metadataMaxAge());
    ReaderConfig reading =
        kvStore.map(store -> common.fetchingFrom(records.in(store))).orElse(common);
    this.readers =
        IndexViewReaders.over(kvStore.orElse(null), items.orElse(null), config.topics(), reading);
  }

  static Stores open(ServerConfig config, Records records) {
    Optional<KvStore> kvStore = config.stores().kvStore().map(KvStores::open);
    Optional<ItemStore> items = config.stores().dynamoDb().map(DynamoDbItemStore::open);
    return new Stores(
        config,
        records,
        kvStore,
        items,
        () -> {
          items.ifPresent(ItemStore::close);
          kvStore.ifPresent(KvStore::close);
        });
  }

  /**
   * Stores that their owner closes.
   *
   * @param items null: there are none
   */
  static Stores over(ServerConfig config, Records records, KvStore kvStore, ItemStore items) {
    return new Stores(config, records, Optional.of(kvStore), Optional.ofNullable(items), () -> {});
  }

  Optional<KvStore> kvStore() {
    return kvStore;
  }

  /** What they tell the readers of their views. */
  TargetStates states() {
    return readers.states();
  }

  /** Reads all rows of a generation; empty: its target is none of them. */
  Optional<TargetReader> rows(ViewGeneration generation) {
    String target = generation.definition().target().type();
    return switch (target) {
      case Target.Kv.TYPE -> kvStore.map(store -> new KvRows(store, generation, tombstones));
      case Target.DynamoDb.TYPE ->
          items.map(store -> new DynamoDbRows(store, generation, tombstones));
      default -> Optional.ofNullable(databases.get(target)).map(it -> new JdbcRows(it, generation));
    };
  }

  /**
   * Returns the reader of all rows of a generation, where there must be one.
   *
   * @throws NotReadableHereException if its target is none of them; says what would make it one
   */
  TargetReader requiredRows(ViewGeneration generation) {
    return rows(generation).orElseThrow(() -> unreadable(generation));
  }

  private static NotReadableHereException unreadable(ViewGeneration generation) {
    String target = generation.definition().target().type();
    String where =
        "the rows of view \"%s\" are in target %s, which this server cannot read: "
            .formatted(generation.view(), target);
    return switch (target) {
      case Target.Kv.TYPE ->
          new NotReadableHereException(where + StoreKeys.KVSTORE_URI_CONFIG + " is not set");
      case Target.DynamoDb.TYPE ->
          new NotReadableHereException(where + StoreKeys.AWS_REGION_CONFIG + " is not set");
      default ->
          new GenericTargetException(
              where
                  + "if a JDBC sink writes it to PostgreSQL, add it to %s of the server, and set %s"
                      .formatted(TargetKeys.CONNECT_TARGETS_CONFIG, TargetKeys.urlKey(target)));
    };
  }

  /** Reads views from all of them. */
  IndexViewReader reader(FreshnessGate gate) {
    if (kvStore.isPresent() || items.isPresent()) {
      return readers.waitingWith(gate);
    }
    return (query, options) -> {
      throw new ViewNotReadyException(
          query.view(),
          ViewState.State.UNKNOWN,
          "this server has no store to read views from (kvstore.uri, aws.region)");
    };
  }

  @Override
  public void close() {
    closing.run();
  }
}
