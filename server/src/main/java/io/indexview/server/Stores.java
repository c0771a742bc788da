package io.indexview.server;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.ViewNotReadyException;
import io.indexview.client.token.FreshnessGate;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStores;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.config.ServerConfig;
import java.util.Optional;

/** The stores that serve views, as far as the configuration names them. */
final class Stores implements AutoCloseable {
  private final ServerConfig config;
  private final Optional<KvStore> kvStore;
  private final Optional<ItemStore> items;

  private Stores(ServerConfig config, Optional<KvStore> kvStore, Optional<ItemStore> items) {
    this.config = config;
    this.kvStore = kvStore;
    this.items = items;
  }

  static Stores open(ServerConfig config) {
    return new Stores(
        config,
        config.stores().kvStore().map(KvStores::open),
        config.stores().dynamoDb().map(DynamoDbItemStore::open));
  }

  Optional<KvStore> kvStore() {
    return kvStore;
  }

  /** What they tell the readers of their views. */
  TargetStates states() {
    return IndexViewReaders.states(
        kvStore.orElse(null), items.orElse(null), config.topics(), readerConfig());
  }

  private ReaderConfig readerConfig() {
    return ReaderConfig.of(config.pageTokens())
        .withMaxLimit(config.pageMaxRows())
        .withMetaPrefixes(config.stores().metaPrefixes());
  }

  /** Reads views from all of them. */
  IndexViewReader reader(FreshnessGate gate) {
    ReaderConfig common = readerConfig().waitingWith(gate);
    ReaderConfig reading =
        kvStore.map(store -> common.fetchingFrom(IndexViewReaders.recordsIn(store))).orElse(common);
    if (kvStore.isPresent() && items.isPresent()) {
      return IndexViewReaders.of(kvStore.get(), items.get(), config.topics(), reading);
    }
    if (kvStore.isPresent()) {
      return IndexViewReaders.of(kvStore.get(), reading);
    }
    if (items.isPresent()) {
      return IndexViewReaders.of(items.get(), config.topics(), reading);
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
    items.ifPresent(ItemStore::close);
    kvStore.ifPresent(KvStore::close);
  }
}
