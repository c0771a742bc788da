package io.indexview.client.read.dynamodb;

import io.indexview.client.poll.LruCache;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.Topics;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** DynamoDB. */
public final class DynamoDbTarget implements ViewTarget {
  private static final int KEPT = 256;
  private static final int PAGE = 100;
  private static final String VIEW = ViewMetadata.dynamoDbKey("");

  private final ItemStore store;
  private final String table;
  private final LruCache<String, ViewMetadata> documents =
      new LruCache<>(KEPT, ViewMetadata::fromJson);
  private final LruCache<ViewGeneration, ViewRows> rows;

  /**
   * @param store stays the caller's to close
   * @param topics whose prefix the metadata's table has
   */
  public DynamoDbTarget(ItemStore store, Topics topics, int sortLimit) {
    this.store = store;
    this.table = topics.prefix() + ViewMetadata.DYNAMODB_TABLE_SUFFIX;
    this.rows =
        new LruCache<>(KEPT, generation -> new DynamoDbViewRows(store, generation, sortLimit));
  }

  @Override
  public Optional<ViewMetadata> metadata(String view) {
    Map<String, Object> key = Map.of(ViewMetadata.DYNAMODB_KEY, ViewMetadata.dynamoDbKey(view));
    try {
      return store.get(table, key).map(item -> read(view, item));
    } catch (ItemStoreException.NoTable e) {
      // The sink creates it with the first view.
      return Optional.empty();
    }
  }

  @Override
  public Optional<History> history(ViewGeneration generation) {
    String id = ViewMetadata.dynamoDbHistoryKey(generation.view());
    try {
      return store
          .get(table, Map.of(ViewMetadata.DYNAMODB_KEY, id))
          .map(item -> item.get(ViewMetadata.DYNAMODB_VERSION))
          .filter(Number.class::isInstance)
          .map(
              version ->
                  new History(
                      ((Number) version).longValue(), "item %s of table %s".formatted(id, table)));
    } catch (ItemStoreException.NoTable e) {
      return Optional.empty();
    }
  }

  private ViewMetadata read(String view, Map<String, Object> item) {
    try {
      return documents.get(ViewMetadata.documentOf(item));
    } catch (IllegalArgumentException e) {
      throw new UnreadableMetadataException(
          "item %s of table %s".formatted(ViewMetadata.dynamoDbKey(view), table), e);
    }
  }

  @Override
  public Collection<String> views() {
    List<String> views = new ArrayList<>();
    Optional<ItemPage> page = page(null);
    while (page.isPresent()) {
      page.get().items().stream()
          .map(item -> String.valueOf(item.get(ViewMetadata.DYNAMODB_KEY)))
          .filter(key -> key.startsWith(VIEW))
          .forEach(key -> views.add(key.substring(VIEW.length())));
      page = Optional.ofNullable(page.get().next()).flatMap(this::page);
    }
    return views;
  }

  /** Empty: there is no table of metadata. */
  private Optional<ItemPage> page(Map<String, Object> start) {
    try {
      return Optional.of(store.scan(table, start, PAGE));
    } catch (ItemStoreException.NoTable e) {
      return Optional.empty();
    }
  }

  @Override
  public ViewRows rows(ViewGeneration generation) {
    return rows.get(generation);
  }
}
